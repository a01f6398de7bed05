#!/usr/bin/env bash
# What `make demo` shows: the sample vault goes into one encrypted file and comes back, and what is
# wrong is caught on the way. Asks nothing; ends with 1 if anything differs.
#
#   Fixtures/demo.sh .build/release/kcarchive
set -euo pipefail

program=$(realpath "${1:?usage: demo.sh PROGRAM}")
sample=$(realpath "$(dirname "$0")/vaults/sample")
plists=$(realpath "$(dirname "$0")/plists")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Nothing from the caller's environment takes part, and nothing can ask.
unset KCARCHIVE_PASSPHRASE KCARCHIVE_PASSPHRASE_FILE
umask 022

kcarchive() { "$program" "$@" < /dev/null; }

step() { printf '\n\n%s\n\n' "$*"; }

fail() {
  printf '\ndemo: FAILED: %s\n' "$*" >&2
  exit 1
}

# show STATUS WORD...: shows a command as one would type it, runs it, and expects this exit status.
show() {
  local expected=$1 status=0
  shift
  printf '$ %s\n' "$*"
  eval "$*" 2>&1 || status=$?
  [ "$status" = "$expected" ] || fail "'$*' ended with $status instead of $expected"
  [ "$status" = 0 ] || printf '(exit status %s, as it should be)\n' "$status"
}

cp -a "$sample/items.jsonl" "$sample/files" .
mkdir files/empty-folder
# Three mebibytes that no compression helps with, so several encrypted chunks.
head -c 3145728 /dev/urandom > files/photo.raw
printf 'a passphrase for this demonstration only\n' > passphrase.txt
printf 'not the right one\n' > wrong.txt

cat <<END
A keychain and some files go into one encrypted archive and come back. The folder is
$folder, gone at the end. What there is:

  items.jsonl   $(wc -l < items.jsonl) keychain items of an invented person: passwords, a certificate, keys
  files/        $(find files | wc -l) files, folders and links, $(du -sh --apparent-size files | cut -f1)

The passphrase comes from a file here; without one, the program asks on the terminal. Stretching it
(Argon2id, 256 MiB, 3 passes) takes a moment in every command that opens the archive. That is on
purpose: it is what every guess costs, too.
END

step '1. Pack'
show 0 'kcarchive pack -o vault.kcarchive --passphrase-file passphrase.txt items.jsonl files'

step '2. Look at it from outside, then inside'
show 0 'kcarchive inspect vault.kcarchive'
printf '\n'
show 0 'export KCARCHIVE_PASSPHRASE_FILE=passphrase.txt'
show 0 'kcarchive list vault.kcarchive -c inet'
printf '\n'
show 0 'kcarchive list vault.kcarchive | tail -n 5'

step '3. One password'
show 0 'kcarchive get vault.kcarchive -s org.example.garden -a rosa | cat; echo'
[ "$(kcarchive get vault.kcarchive -s org.example.garden -a rosa)" = 'four beds, one pond' ] \
  || fail 'the password is another one'

step '4. Check every byte of it'
show 0 'kcarchive verify vault.kcarchive'

step '5. A wrong passphrase, and one changed bit in the middle'
show 12 'KCARCHIVE_PASSPHRASE_FILE=wrong.txt kcarchive list vault.kcarchive'
printf '\n'
cp vault.kcarchive changed.kcarchive
offset=$(($(stat -c %s changed.kcarchive) / 2))
byte=$(od -An -tu1 -j "$offset" -N 1 changed.kcarchive)
printf "\\x$(printf %x $((byte ^ 1)))" \
  | dd of=changed.kcarchive bs=1 seek="$offset" conv=notrunc status=none
printf '(changed.kcarchive is a copy with one bit changed in byte %s)\n' "$offset"
show 13 'kcarchive verify changed.kcarchive'

step '6. Restore, and compare with what went in'
show 0 'kcarchive restore vault.kcarchive -C restored'
show 0 'diff -r --no-dereference files restored/files'
show 0 'kcarchive restore vault.kcarchive --to jsonl -o restored.jsonl'
# The files are items, too: of the class `file`, and none of the sample's own.
show 0 "grep -v '^{\"class\":\"file\"' restored.jsonl | diff items.jsonl -"

# `diff` does not look at modes, times and links' own targets.
attributes() { (cd "$1" && find . -printf '%p %y %m %l\n' | sort); }
# An archive keeps times as Apple does, in a Float64: to a quarter of a microsecond.
times() { (cd "$1" && find . -printf '%p\t%T@\n' | sort); }
paste <(times files) <(times restored/files) \
  | awk -F '\t' '$1 != $3 || ($2 - $4) ^ 2 > 1e-12 { differs = 1 } END { exit differs }' \
  || fail 'times differ'

step '7. Secrets out of a preferences list, and a copy without them'
cp "$plists/Preferences/org.example.garden.plist" .
show 0 'kcarchive migrate org.example.garden.plist -o secrets.kcarchive --redact clean.plist'
show 0 'kcarchive get secrets.kcarchive -a account.refreshToken | cat; echo'
! grep -q 'four beds' clean.plist || fail 'the copy still has the password'

printf '\n\nAll %s items and all %s files came back as they were: contents, links, modes and times.\n' \
  "$(wc -l < items.jsonl)" "$(find files | wc -l)"

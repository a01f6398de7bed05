#!/usr/bin/env bash
# Builds the application of this folder, runs its tests over archives that the environment names, and looks into
# them with the program.
#
#   Tests/Clients/run.sh .build/release/kcarchive
set -euo pipefail

program=$(realpath "${1:?usage: run.sh PROGRAM}")
here=$(realpath "$(dirname "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset KCARCHIVE_PASSPHRASE_FILE KCARCHIVE_KEYCHAIN

fail() {
  echo "clients: $*" >&2
  exit 1
}

run_tests() {
  swift test --package-path "$here" --scratch-path "$here/../../.build/clients" "$@"
}

export KCARCHIVE_PASSPHRASE="a passphrase for tests"
export KCARCHIVE_ACCESS_GROUPS="TEAM.org.example.garden,TEAM.org.example.shared"

echo "clients: no keychain"
run_tests --filter NoKeychainTests

echo "clients: an archive that is there"
export KCARCHIVE_KEYCHAIN="$folder/keychain.kcarchive"
# The cheapest costs that the format allows: the default ones take a second.
"$program" pack -o "$KCARCHIVE_KEYCHAIN" --kdf-memory 19MiB --kdf-time 2 - < /dev/null 2> /dev/null
run_tests --skip-build
found=$("$program" get "$KCARCHIVE_KEYCHAIN" -s "old objects" -a shape | od -An -tx1)
[ "$found" = " 07" ] || fail "the program finds another value: $found"

echo "clients: an archive that is made, with the passphrase in a file"
export KCARCHIVE_KEYCHAIN="$folder/new.kcarchive" KCARCHIVE_PASSPHRASE_FILE="$folder/passphrase"
printf '%s\r\n' "$KCARCHIVE_PASSPHRASE" > "$KCARCHIVE_PASSPHRASE_FILE"
passphrase=$KCARCHIVE_PASSPHRASE
unset KCARCHIVE_PASSPHRASE
run_tests --skip-build --filter OldSettingsTests
[ "$(stat -c %a "$KCARCHIVE_KEYCHAIN")" = 600 ] || fail "the new archive has another mode"
found=$(KCARCHIVE_PASSPHRASE=$passphrase "$program" get "$KCARCHIVE_KEYCHAIN" -a shape | od -An -tx1)
[ "$found" = " 07" ] || fail "the program finds another value in the new archive: $found"

echo "clients: a wrong passphrase"
KCARCHIVE_PASSPHRASE="another one" run_tests --skip-build --filter WrongPassphraseTests

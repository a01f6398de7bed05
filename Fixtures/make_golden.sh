#!/usr/bin/env bash
# Makes the archives of vaults/golden anew, with what is expected of each and a MANIFEST.tsv.
#
#   Fixtures/make_golden.sh .build/release/kcarchive
#
# Only while version 1 of the format is a draft: later an archive is added, never replaced, for every
# reader of version 1 has to read all of them for ever.
set -euo pipefail

program=$(realpath "${1:?usage: make_golden.sh PROGRAM}")
cd "$(dirname "$0")/vaults"
sample=$PWD/sample/items.jsonl
rm -rf golden
mkdir -p golden/expected golden/keys
cd golden

# KCARCHIVE_PASSPHRASE must not add a slot.
unset KCARCHIVE_PASSPHRASE KCARCHIVE_PASSPHRASE_FILE

printf 'archive\tpassphrase\tkey file\tmixed key file\texpected\n' > MANIFEST.tsv

# manifest ARCHIVE PASSPHRASE KEY-FILE MIXED EXPECTED: "-" is none.
manifest() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$@" >> MANIFEST.tsv
}

# pack ARCHIVE INPUT OPTION...
pack() {
  "$program" pack -o "$1" --verify "${@:3}" -- "$2"
}

# What `restore --to jsonl` must give, values above 1,000 characters as their SHA-256: an attribute
# `valueSHA256` instead of a value.
expect() {
  python3 -c '
import hashlib, json, sys
for line in sys.stdin.buffer:
    item = json.loads(line)
    text = item["value"]["utf8"].encode()
    if len(text) > 1000:
        del item["value"]
        item["valueSHA256"] = hashlib.sha256(text).hexdigest()
    print(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
' > "expected/$1"
}

printf 'A key file of ours: forty-two beans, seven peas.\n' > keys/beans.txt
printf 'Another one of ours: nine marrows and a half.\n' > keys/marrows.txt

cat > expected/small.jsonl <<'ITEMS'
{"class":"genp","service":"web","account":"älice","created":"2024-05-01T12:00:00.5Z","value":{"utf8":"grün 🌱"}}
{"class":"file","path":"notes/today.txt","kind":"file","mode":420,"modificationTime":"2024-05-01T12:00:00Z","value":{"utf8":"water the beans\n"}}
{"class":"file","path":"latest","kind":"link","link":"notes/today.txt","mode":511,"modificationTime":"2024-05-01T12:00:00Z"}
{"class":"file","path":"notes","kind":"directory","mode":493,"modificationTime":"2024-05-01T12:00:00Z"}
ITEMS

# All classes, through a key file: no KDF.
pack key-file.kcarchive "$sample" --key-file keys/beans.txt
manifest key-file.kcarchive - keys/beans.txt - ../sample/items.jsonl

# Each KDF at the least cost that a writer may choose.
pack argon2id.kcarchive expected/small.jsonl --passphrase-file <(printf 'runner beans') \
  --kdf-memory 19MiB --kdf-time 2 --kdf-parallelism 1
manifest argon2id.kcarchive 'runner beans' - - expected/small.jsonl
pack scrypt.kcarchive expected/small.jsonl --passphrase-file <(printf 'runner beans') \
  --kdf scrypt --kdf-memory 128MiB --kdf-time 1
manifest scrypt.kcarchive 'runner beans' - - expected/small.jsonl
pack pbkdf2.kcarchive expected/small.jsonl --passphrase-file <(printf 'runner beans') \
  --kdf pbkdf2 --kdf-time 600000
manifest pbkdf2.kcarchive 'runner beans' - - expected/small.jsonl

# A passphrase is the same composed and decomposed.
pack composed.kcarchive expected/small.jsonl --passphrase-file <(printf 'gr\u00fcne Bohnen') \
  --kdf pbkdf2 --kdf-time 600000
manifest composed.kcarchive $'gr\u00fcne Bohnen' - - expected/small.jsonl
manifest composed.kcarchive $'gru\u0308ne Bohnen' - - expected/small.jsonl

# Several credentials, each enough, with a label; and two that are needed together.
pack several-credentials.kcarchive expected/small.jsonl --label 'Gartenverein' \
  --passphrase-file <(printf 'runner beans') --passphrase-file <(printf 'broad beans') \
  --key-file keys/beans.txt --key-file keys/marrows.txt --kdf pbkdf2 --kdf-time 600000
manifest several-credentials.kcarchive 'runner beans' - - expected/small.jsonl
manifest several-credentials.kcarchive 'broad beans' - - expected/small.jsonl
manifest several-credentials.kcarchive - keys/beans.txt - expected/small.jsonl
manifest several-credentials.kcarchive - keys/marrows.txt - expected/small.jsonl
pack mixed-key-file.kcarchive expected/small.jsonl --with-key-file keys/marrows.txt \
  --passphrase-file <(printf 'runner beans') --kdf pbkdf2 --kdf-time 600000
manifest mixed-key-file.kcarchive 'runner beans' - keys/marrows.txt expected/small.jsonl

# No items.
: > expected/empty.jsonl
pack empty.kcarchive expected/empty.jsonl --key-file keys/beans.txt
manifest empty.kcarchive - keys/beans.txt - expected/empty.jsonl

# Values around the lengths that matter: none, the smallest that is deflated, exactly one chunk, one
# byte more, and three chunks.
python3 -c '
import json
line = "Beans in the first bed, peas in the second, and nothing at all in the third.\n"
for count in (0, 1, 4095, 4096, 1048567, 1048568, 1048569, 3 << 20):
    text = (line * (count // len(line) + 1))[:count]
    item = {"class": "genp", "service": "length", "account": str(count), "value": {"utf8": text}}
    print(json.dumps(item, separators=(",", ":")))
' > lengths.jsonl
expect lengths.jsonl < lengths.jsonl
pack deflated.kcarchive lengths.jsonl --key-file keys/beans.txt
manifest deflated.kcarchive - keys/beans.txt - expected/lengths.jsonl
head -n 4 lengths.jsonl > short.jsonl
head -n 4 expected/lengths.jsonl > expected/stored.jsonl
pack stored.kcarchive short.jsonl --key-file keys/beans.txt --no-compress
manifest stored.kcarchive - keys/beans.txt - expected/stored.jsonl

# Written to a pipe, so in one pass.
"$program" pack -o - --key-file keys/beans.txt -- lengths.jsonl | cat > piped.kcarchive
manifest piped.kcarchive - keys/beans.txt - expected/lengths.jsonl
rm lengths.jsonl short.jsonl

# Every type that an attribute may have, at its ends.
cat > expected/types.jsonl <<'ITEMS'
{"class":"genp","service":"types","account":{"base64":"AP8="},"booleans":true,"bytes":{"base64":""},"dates":{"date":"2024-05-01T12:00:00Z"},"dates2":{"dateBits":"7ff8000000000001"},"integers":-9223372036854775808,"integers2":9223372036854775807,"lists":{"plist":{"base64":"YnBsaXN0MDAI"}},"reals":-0.0,"reals2":5e-324,"reals3":{"realBits":"7ff0000000000000"},"unknown":{"unknown":{"type":200,"base64":"AQI="}},"unknown0":{"unknown":{"type":0,"base64":""}},"created":{"text":"no date"},"modified":{"integer":7},"attributes":{"account":"a column","class":false,"value":1}}
{"class":"keys","label":"","keyType":42,"startDate":{"real":1.5},"endDate":"0001-01-01T00:00:00Z","created":-63145526400.5,"modified":"9999-12-31T23:59:59Z"}
{"class":"genp","service":"e\u0301 and \u00e9","account":"é","\ud83c\udf31":"a name beyond the first plane"}
{"class":"genp","service":"e\u0301 and \u00e9","account":"e\u0301","\u0000":"a name and a text of control characters \u0000\u001f\u007f\u0085"}
ITEMS
pack types.kcarchive expected/types.jsonl --key-file keys/beans.txt
manifest types.kcarchive - keys/beans.txt - expected/types.jsonl

# One item more than a node of the index holds.
python3 -c '
for number in range(410):
    print("{\"class\":\"genp\",\"service\":\"bean\",\"account\":\"%d\"}" % number)
' > expected/index.jsonl
pack index.kcarchive expected/index.jsonl --key-file keys/beans.txt
manifest index.kcarchive - keys/beans.txt - expected/index.jsonl
chmod 644 ./*.kcarchive
ls -l ./*.kcarchive

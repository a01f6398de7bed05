#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and runs each for FUZZ_SECONDS (default 10), or those named in FUZZ_TARGETS, from
# the seeds in Fixtures/plists, what seeds.py makes of the golden archives, and the folders named as arguments. What a
# run finds is left in .build/fuzz and makes it fail.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-10}
targets=${FUZZ_TARGETS:-BinaryList XMLList OpenStepList KeyedArchive TypedStream ItemJSON Attributes Record Header Frame Archive}
out=.build/fuzz
mkdir -p "$out"

compile=(swiftc -O -g -wmo -parse-as-library -sanitize=fuzzer -swift-version 6 -enable-testing
  -package-name kcarchive -I "$out" -I Sources/COpenSSL -I Sources/CArgon2 -I Sources/CZlib
  -I Sources/CLinux -enable-experimental-feature Lifetimes
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility)

# A module with its object file, once more when a source is newer, or a layer below was compiled again.
modules=()
stale=
module() {
  local name=$1 sources=$2
  shift 2
  modules+=("$out/$name.o")
  [ -z "$stale" ] && [ -e "$out/$name.o" ] \
    && [ -z "$(find "$sources" -newer "$out/$name.o" -name '*.swift')" ] && return
  stale=yes
  find "$sources" -name '*.swift' -print0 | xargs -0 "${compile[@]}" "$@" -module-name "$name" \
    -emit-module -emit-module-path "$out/$name.swiftmodule" -c -o "$out/$name.o"
}

for name in ByteCoding PropertyListCodec ArchiveCrypto ArchiveContainer KeychainModel KeychainArchive \
  KeychainInterchange; do
  module $name Sources/$name
done
module TestSupport Tests/TestSupport -D DEBUG
python3 Tests/Fuzz/seeds.py "$out/seeds"

for target in $targets; do
  case $target in
    BinaryList | XMLList | OpenStepList | KeyedArchive | TypedStream) shared=ListReading.swift seeds=Fixtures/plists ;;
    *) shared=ArchiveScript.swift seeds=$out/seeds/$target ;;
  esac
  "${compile[@]}" -module-name "Fuzz$target" "Tests/Fuzz/${target}Target.swift" \
    "Tests/Fuzz/$shared" "${modules[@]}" -lcrypto -largon2 -lz -o "$out/$target"
  mkdir -p "$out/$target.corpus"
  echo "fuzzing $target for $seconds s"
  SWIFT_BACKTRACE=enable=no "$out/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$out/$target-" "$out/$target.corpus" "$seeds" "$@" \
    >"$out/$target.log" 2>&1 || { tail -n 40 "$out/$target.log"; exit 1; }
  sed -n 's/.*\(cov: [0-9]*\) .*/\1/p' "$out/$target.log" | tail -n 1
  grep -E 'number_of_executed_units' "$out/$target.log"
done

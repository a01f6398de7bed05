#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and runs each for FUZZ_SECONDS (default 10) from the seeds in Fixtures/plists
# and the folders named as arguments. What a run finds is left in .build/fuzz and makes it fail.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-10}
out=.build/fuzz
mkdir -p "$out"

compile=(swiftc -O -g -wmo -parse-as-library -sanitize=fuzzer -swift-version 6
  -package-name kcarchive -I "$out" -enable-experimental-feature Lifetimes
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility)

# A module with its object file, once more when a source is newer.
module() {
  local name=$1
  if [ -n "$(find "Sources/$name" -newer "$out/$name.o" -name '*.swift' 2>/dev/null)" ] \
    || [ ! -e "$out/$name.o" ]; then
    find "Sources/$name" -name '*.swift' -print0 | xargs -0 "${compile[@]}" -module-name "$name" \
      -emit-module -emit-module-path "$out/$name.swiftmodule" -c -o "$out/$name.o"
  fi
}

module ByteCoding
module PropertyListCodec
for target in BinaryList XMLList KeyedArchive; do
  "${compile[@]}" -module-name "Fuzz$target" "Tests/Fuzz/${target}Target.swift" \
    Tests/Fuzz/Reading.swift "$out/ByteCoding.o" "$out/PropertyListCodec.o" -o "$out/$target"
  mkdir -p "$out/$target.corpus"
  echo "fuzzing $target for $seconds s"
  "$out/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$out/$target-" "$out/$target.corpus" Fixtures/plists "$@" \
    >"$out/$target.log" 2>&1 || { tail -n 40 "$out/$target.log"; exit 1; }
  grep -E 'number_of_executed_units' "$out/$target.log"
done

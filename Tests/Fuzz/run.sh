#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and runs each for FUZZ_SECONDS (default 10), or those named in FUZZ_TARGETS, from
# the seeds in Fixtures/plists, what seeds.py makes of the golden archives, and the folders named as arguments. What a
# run finds is left in .build/fuzz-O and makes it fail. As many as there are cores are built at once.
#
# With FUZZ_OPTIMIZATION=-Onone the build takes a part of the time, and the runs try less: what CI does.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-10}
targets=${FUZZ_TARGETS:-BinaryList XMLList OpenStepList KeyedArchive TypedStream ItemJSON Attributes Record Header Frame Archive}
optimization=${FUZZ_OPTIMIZATION:--O}
# Apart, for what was compiled otherwise can't be linked with it.
out=.build/fuzz$optimization
mkdir -p "$out"

# shellcheck disable=SC2086
make --no-print-directory -s -f Tests/Fuzz/build.mk -j "$(nproc)" OUT="$out" OPTIMIZATION="$optimization" $targets
/usr/bin/python3 Tests/Fuzz/seeds.py "$out/seeds"

for target in $targets; do
  case $target in
    BinaryList | XMLList | OpenStepList | KeyedArchive | TypedStream) seeds=Fixtures/plists ;;
    *) seeds=$out/seeds/$target ;;
  esac
  mkdir -p "$out/$target.corpus"
  echo "fuzzing $target for $seconds s"
  SWIFT_BACKTRACE=enable=no "$out/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$out/$target-" "$out/$target.corpus" "$seeds" "$@" \
    >"$out/$target.log" 2>&1 || { tail -n 40 "$out/$target.log"; exit 1; }
  sed -n 's/.*\(cov: [0-9]*\) .*/\1/p' "$out/$target.log" | tail -n 1
  grep -E 'number_of_executed_units' "$out/$target.log"
done

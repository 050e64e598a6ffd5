#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS [libFuzzer's options]
# norm-fuzz on the corpus, the recognizer's tests and the op's, with what it
# found before. A program that fails stays in BUILD/fuzz/found.
set -euo pipefail
build=$1 seconds=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
fuzz=$build/fuzz
mkdir -p "$fuzz/corpus" "$fuzz/found"
rm -rf "$fuzz/seeds"

seeds=("$root/test/Recognition" "$root/test/IR" "$root"/test/{Floats,Normalize,Rows,Buffers}
       "$root/test/Corpus/Inputs/sample")
[ -d "$root/../shared/corpus/cases" ] && seeds+=("$root/../shared/corpus/cases")
python3 "$root/test/Fuzz/seeds.py" "$fuzz/seeds" "${seeds[@]}"

# See test/lit.cfg.py for the options.
export ASAN_OPTIONS=allow_user_poisoning=0 UBSAN_OPTIONS=print_stacktrace=1
exec "$build/bin/norm-fuzz" -max_total_time="$seconds" -max_len=16384 \
  -mutate_depth=1 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
  -artifact_prefix="$fuzz/found/" "$@" "$fuzz/corpus" "$fuzz/seeds"

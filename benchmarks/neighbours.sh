#!/usr/bin/env bash
# Times RMSNorm with what stands around it (benchmarks/neighbours/*.mlir) beside
# copies of the same bytes: residual sum with two results, bias, gates, int8.
#
#   neighbours.sh [BUILD]     prints a table, writes BUILD/neighbours.json
#
#   NORM_BENCH_SHAPES       list of ROWSxCOLS instead of the one below
#   NORM_BENCH_REPETITIONS  of each subject, the best counts (default 5)
#   NORM_BENCH_THREADS      OpenMP threads (default 1)
#   NORM_BENCH_JSON         output file instead of BUILD/neighbours.json
#
# MB counts every argument and every result once; a pass too many shows as a ratio
# to the copies that is too low.
set -euo pipefail
build=${1:-build}
here=$(cd "$(dirname "$0")" && pwd)
bench="$build/bin/norm-bench"
[ -x "$bench" ] || { echo "error: $bench is not built" >&2; exit 1; }
python=$(command -v /usr/bin/python3 || command -v python3)
shapes=${NORM_BENCH_SHAPES:-"2048x4096 128x4096"}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
for shape in $shapes; do
  [[ $shape =~ ^([1-9][0-9]*)x([1-9][0-9]*)$ ]] ||
    { echo "error: NORM_BENCH_SHAPES: expected ROWSxCOLS, got '$shape'" >&2; exit 1; }
  for source in "$here"/neighbours/*.mlir; do
    number=$((number + 1))
    program="$work/$(basename "$source" .mlir) $shape.mlir"
    sed "s/ROWS/${BASH_REMATCH[1]}/g; s/COLS/${BASH_REMATCH[2]}/g" "$source" >"$program"
    "$bench" "$program" --function=main --threads="${NORM_BENCH_THREADS:-1}" \
      --repetitions="${NORM_BENCH_REPETITIONS:-5}" --format=json \
      -o "$work/$(printf %03d $number).json"
  done
done
"$python" "$here/table.py" "${NORM_BENCH_JSON:-$build/neighbours.json}" "$work"/*.json

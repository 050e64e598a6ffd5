#!/usr/bin/env bash
# Times Llama's RMSNorm as torch-mlir emits it beside copies of the same bytes.
#
#   bench.sh [BUILD]     prints a table, writes BUILD/bench.json
#
#   NORM_BENCH_SHAPES       list of ROWSxCOLS:TYPE instead of the one below
#   NORM_BENCH_REPETITIONS  of each subject, the best counts (default 5)
#   NORM_BENCH_THREADS      OpenMP threads (default 1)
#   NORM_BENCH_JSON         output file instead of BUILD/bench.json
#
# MB and GB/s count x, the weight and y once. Only the ratios to the copies that ran
# interleaved with the program mean anything on a shared machine.
set -euo pipefail
build=${1:-build}
here=$(cd "$(dirname "$0")" && pwd)
bench="$build/bin/norm-bench"
json=${NORM_BENCH_JSON:-$build/bench.json}
repetitions=${NORM_BENCH_REPETITIONS:-5}
threads=${NORM_BENCH_THREADS:-1}
[ -x "$bench" ] || { echo "error: $bench is not built" >&2; exit 1; }
python=$(command -v /usr/bin/python3 || command -v python3)

# Larger than the caches in each type; many short rows; no multiple of any
# vector; a row group that stays in the caches.
shapes=${NORM_BENCH_SHAPES:-"2048x4096:f32 2048x4096:f16 2048x4096:bf16
  8192x4096:f16 16384x128:f32 2048x4095:f32 2048x4095:bf16 8x4096:f32"}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The 2x5x64 (f32) or 4x32 (bf16) example at another shape and type.
program() { # rows cols type
  local divisor
  divisor=$(printf '%.6e' "$2")
  case $3 in
  f32)
    sed "s/2x5x64x/1x$1x$2x/g; s/2x5x1x/1x$1x1x/g; s/<64x/<$2x/g; s/6\.400000e+01/$divisor/" \
      "$here/../examples/llama_rmsnorm_f32.mlir" ;;
  f16 | bf16)
    sed "s/4x32x/$1x$2x/g; s/4x1x/$1x1x/g; s/<32x/<$2x/g; s/3\.200000e+01/$divisor/; s/bf16/$3/g" \
      "$here/../examples/llama_rmsnorm_bf16.mlir" ;;
  *) echo "error: unknown type '$3' in NORM_BENCH_SHAPES" >&2; return 1 ;;
  esac
}

number=0
for shape in $shapes; do
  [[ $shape =~ ^([1-9][0-9]*)x([1-9][0-9]*):([a-z0-9]+)$ ]] ||
    { echo "error: NORM_BENCH_SHAPES: expected ROWSxCOLS:TYPE, got '$shape'" >&2; exit 1; }
  number=$((number + 1))
  name="$work/llama ${BASH_REMATCH[3]} ${BASH_REMATCH[1]}x${BASH_REMATCH[2]}.mlir"
  program "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}" >"$name"
  "$bench" "$name" --function=main --threads="$threads" \
    --repetitions="$repetitions" --format=json -o "$work/$(printf %03d $number).json"
done

"$python" "$here/table.py" "$json" "$work"/*.json

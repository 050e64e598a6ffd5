#!/usr/bin/env bash
# The whole story on a real program: the RMSNorm of Llama as torch-mlir lowered
# it, found, compiled, checked against f64 and timed beside memcpy.
set -euo pipefail
build=${1:-build}
here=$(dirname "$0")
export PATH="$PWD/$build/bin:$PATH"
python=$(/usr/bin/python3 -c 'import numpy' 2>/dev/null && echo /usr/bin/python3 || echo python3)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || step() { printf '\n%s\n' "$*"; }

source="$here/llama_rmsnorm_bf16.mlir"
step "1. What torch-mlir emits for one LlamaRMSNorm ($source)"
grep -o 'linalg\.generic\|linalg\.fill\|math\.[a-z]*\|arith\.\(extf\|truncf\|mulf\|addf\|divf\)' "$source" |
  sort | uniq -c | sort -rn | awk '{printf "%s%d %s", sep, $1, $2; sep=", "} END {print ""}'

step "2. norm-opt --norm-recognize: found, and how"
norm-opt "$source" --norm-recognize --remarks-filter=.* -o "$work/norm.mlir" 2>&1 |
  grep -i 'remark' | sed 's/^[^ ]*\///'
grep 'norm.rmsnorm' "$work/norm.mlir" | sed 's/^ *//; s/ outs/\n  outs/; s/ dims/\n  dims/'

step "3. The same program at 2048x4096 (f32), compiled and run against f64"
wide="$work/llama_rmsnorm_2048x4096.mlir"
sed 's/2x5x64x/1x2048x4096x/g; s/2x5x1x/1x2048x1x/g; s/<64x/<4096x/g; s/6\.400000e+01/4.096000e+03/' \
  "$here/llama_rmsnorm_f32.mlir" >"$wide"
"$python" "$here/reference.py" --rows 2048 --cols 4096 --epsilon 1e-5 --out "$work"
norm-run "$wide" --function=main --input=@"$work/x.npy" --input=@"$work/w.npy" \
  --expected-output=@"$work/y.npy" --max-ulp=4

step "4. GB/s (read x + write y), beside a copy and upstream's default pipeline"
norm-bench "$wide" --function=main

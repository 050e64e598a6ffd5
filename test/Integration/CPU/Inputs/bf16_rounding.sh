#!/bin/sh
# bf16_rounding.sh IN.mlir PREFIX CPU: runs each function of bf16-rounding.mlir.
set -e
run() {
  function=$1
  shift
  norm-run "$file" --mcpu="$cpu" --function="$function" "$@" --output=@"$prefix.$function.npy" > /dev/null
}
file=$1 prefix=$2 cpu=$3
run vectors --input=@"$prefix.f32.npy"
run scalars --input=@"$prefix.f32.npy"
run doubles --input=@"$prefix.f64.npy"
run products --input=@"$prefix.x.npy" --input=@"$prefix.w.npy"
run halves --input=@"$prefix.xh.npy" --input=@"$prefix.wh.npy"
run fill --input=@"$prefix.one.npy"
run last --input=@"$prefix.large.npy"

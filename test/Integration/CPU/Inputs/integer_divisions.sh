#!/bin/sh
# integer_divisions.sh MLIR CPU: runs each function of integer-divisions.mlir, at
# 29 elements and at fewer than a vector, and compares with the shell's numbers.
set -e
for n in 29 5; do
  a=$(seq -s' ' 0 $((n - 1)))
  quotients=$(for x in $a; do echo $((x / 3)); done)
  remainders=$(for x in $a; do echo $((x % 7)); done)
  norm-run "$1" --mcpu="$2" --function=quotient "--input=${n}xi32=$a" \
    "--input=${n}xi32=3" "--expected-output=${n}xi32=$(echo $quotients)"
  norm-run "$1" --mcpu="$2" --function=by_constant "--input=${n}xi32=$a" \
    "--expected-output=${n}xi32=$(echo $remainders)"
  norm-run "$1" --mcpu="$2" --function=remainder "--input=${n}xi64=$a" \
    "--input=${n}xi64=7" "--expected-output=${n}xi64=$(echo $remainders)"
done
a=$(seq -s' ' 0 28)
remainders=$(for x in $a; do echo $((x % 7)); done)
norm-run "$1" --mcpu="$2" --function=read_back "--input=29xi7=$a" \
  "--expected-output=29xi7=$(echo $remainders)" --expected-output=29xi7=7
norm-run "$1" --mcpu="$2" --function=sum "--input=1x29xi32=$a" \
  --input=1x29xi32=3 --expected-output=1xi32=126

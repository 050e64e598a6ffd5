// An integer that a program rounds to f32 and then to a narrower type is rounded
// twice, which upstream's canonicalization would do at once.
// RUN: norm-run %s --function=signed --input=i32=1077936129 --expected-output=bf16=1073741824 --rounding=exact
// RUN: norm-run %s --function=signed --input=i32=1077936129 --expected-output=bf16=1073741824
// RUN: norm-run %s --function=unsigned --input=i32=1077936129 --expected-output=bf16=1073741824
// RUN: norm-run %s --function=unsigned --pipeline=upstream --input=i32=1077936129 --expected-output=bf16=1073741824
// A narrower type has no conversion of its own.
// RUN: norm-compile %s --emit=obj -o %t.o

func.func @signed(%a: i32) -> bf16 {
  %0 = arith.sitofp %a : i32 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

func.func @unsigned(%a: i32) -> bf16 {
  %0 = arith.uitofp %a : i32 to f32
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

func.func @f8(%a: tensor<16xi8>) -> tensor<16xf8E5M2> {
  %0 = arith.sitofp %a : tensor<16xi8> to tensor<16xbf16>
  %1 = arith.truncf %0 : tensor<16xbf16> to tensor<16xf8E5M2>
  return %1 : tensor<16xf8E5M2>
}

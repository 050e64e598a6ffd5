// The printed tensors of the RMSNorm lesson, and f64 references in ulp. f16: x up
// to 60000, whose squares overflow f16.

// RUN: %python %S/lesson.py %t
// RUN: norm-run %s --function=lesson --input=@%t.lesson.x.npy --input=4xf32=1 --output=@%t.lesson.out.npy
// RUN: %python %S/lesson.py --check %t.lesson.out.npy | FileCheck %s
// CHECK: 32 of 32 within the printed digits
// RUN: norm-run %s --function=small --input=@%t.small.x.npy --expected-output=@%t.small.y.npy --max-ulp=4 | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=f16 --input=@%t.f16.x.npy --expected-output=@%t.f16.y.npy --max-ulp=1 | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=a --input=@%t.a.x.npy --expected-output=@%t.a.y.npy --max-ulp=4 | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=b --input=@%t.b.x.npy --expected-output=@%t.b.y.npy --max-ulp=4 | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=c --input=@%t.c.x.npy --expected-output=@%t.c.y.npy --max-ulp=4 | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=d --input=@%t.d.x.npy --expected-output=@%t.d.y.npy --max-ulp=4 | FileCheck %s --check-prefix=ULP
// ULP: result[0]: max ulp

func.func @small(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %i = tensor.empty() : tensor<1x4xf32>
  %y = norm.rmsnorm ins(%x : tensor<1x4xf32>) outs(%i : tensor<1x4xf32>) dims = [1] epsilon = 0.000000e+00 : f32 -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

func.func @f16(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %i = tensor.empty() : tensor<4x64xf16>
  %y = norm.rmsnorm ins(%x : tensor<4x64xf16>) outs(%i : tensor<4x64xf16>) dims = [1] epsilon = 1.000000e-06 : f32 -> tensor<4x64xf16>
  return %y : tensor<4x64xf16>
}

func.func @a(%x: tensor<4x128x4096xf32>) -> tensor<4x128x4096xf32> {
  %i = tensor.empty() : tensor<4x128x4096xf32>
  %y = norm.rmsnorm ins(%x : tensor<4x128x4096xf32>) outs(%i : tensor<4x128x4096xf32>) dims = [2] epsilon = 1.000000e-06 : f32 -> tensor<4x128x4096xf32>
  return %y : tensor<4x128x4096xf32>
}

func.func @b(%x: tensor<2x3x4096xf32>) -> tensor<2x3x4096xf32> {
  %i = tensor.empty() : tensor<2x3x4096xf32>
  %y = norm.rmsnorm ins(%x : tensor<2x3x4096xf32>) outs(%i : tensor<2x3x4096xf32>) dims = [2] epsilon = 1.000000e-06 : f32 -> tensor<2x3x4096xf32>
  return %y : tensor<2x3x4096xf32>
}

func.func @c(%x: tensor<32x100x512xf32>) -> tensor<32x100x512xf32> {
  %i = tensor.empty() : tensor<32x100x512xf32>
  %y = norm.rmsnorm ins(%x : tensor<32x100x512xf32>) outs(%i : tensor<32x100x512xf32>) dims = [2] epsilon = 1.000000e-06 : f32 -> tensor<32x100x512xf32>
  return %y : tensor<32x100x512xf32>
}

func.func @d(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %i = tensor.empty() : tensor<1x2x3x4xf32>
  %y = norm.rmsnorm ins(%x : tensor<1x2x3x4xf32>) outs(%i : tensor<1x2x3x4xf32>) dims = [3] epsilon = 1.000000e-06 : f32 -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}

func.func @lesson(%x: tensor<2x5x4xf32>, %w: tensor<4xf32>) -> tensor<2x5x4xf32> {
  %i = tensor.empty() : tensor<2x5x4xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<2x5x4xf32>, tensor<4xf32>) outs(%i : tensor<2x5x4xf32>) dims = [2] epsilon = 1.000000e-06 : f32 -> tensor<2x5x4xf32>
  return %y : tensor<2x5x4xf32>
}

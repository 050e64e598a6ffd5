// RUN: env MALLOC_PERTURB_=165 norm-opt %s --linalg-generalize-named-ops --norm-fuse-elementwise=products=blocks | FileCheck %s
// A convolution reads what an op computes at the sum of two loops: which of them is the last?
// CHECK-LABEL: func @before_convolution
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[G]], %arg1
func.func @before_convolution(%x: tensor<2x16x8x8xf32>, %k: tensor<32x16x2x2xf32>, %f: tensor<2x32x4x4xf32>) -> tensor<2x32x4x4xf32> {
  %e = tensor.empty() : tensor<2x16x8x8xf32>
  %g = linalg.exp ins(%x : tensor<2x16x8x8xf32>) outs(%e : tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%g, %k : tensor<2x16x8x8xf32>, tensor<32x16x2x2xf32>) outs(%f : tensor<2x32x4x4xf32>) -> tensor<2x32x4x4xf32>
  return %y : tensor<2x32x4x4xf32>
}

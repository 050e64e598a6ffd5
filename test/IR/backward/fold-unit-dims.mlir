// RUN: norm-opt %s --norm-fold-unit-dims --canonicalize | FileCheck %s

// CHECK-LABEL: func @batch(
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<?x64xf16>, tensor<?x64xf16>) weight(%{{.*}} : tensor<64xf16>) inv_rms(%{{.*}} : tensor<?xf32>) dx(%{{.*}} : tensor<?x64xf16>) dw(%{{.*}} : tensor<64xf16>) dims = [1]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [1, %{{.*}}, 64] : tensor<?x64xf16> into tensor<1x?x64xf16>
func.func @batch(%dy: tensor<1x?x64xf16>, %x: tensor<1x?x64xf16>, %w: tensor<64xf16>, %r: tensor<1x?xf32>, %i: tensor<1x?x64xf16>, %j: tensor<64xf16>) -> (tensor<1x?x64xf16>, tensor<64xf16>) {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<1x?x64xf16>, tensor<1x?x64xf16>) weight(%w : tensor<64xf16>) inv_rms(%r : tensor<1x?xf32>) dx(%i : tensor<1x?x64xf16>) dw(%j : tensor<64xf16>) dims = [2] -> tensor<1x?x64xf16>, tensor<64xf16>
  return %dx, %dw : tensor<1x?x64xf16>, tensor<64xf16>
}

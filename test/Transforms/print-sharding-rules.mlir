// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-print-sharding-rules))' --split-input-file --verify-diagnostics -o /dev/null | FileCheck %s

// CHECK: norm.rmsnorm: #sdy.op_sharding_rule<([i, j, k], [k], [i, j, k])->([i, j, k]) {i=2, j=16, k=512}>
// CHECK: norm.rmsnorm_backward: #sdy.op_sharding_rule<([i, j], [i, j], [j], [i, j], [j])->([i, j], [j]) {i=16, j=512}>
func.func @f(%x: tensor<2x16x512xf32>, %w: tensor<512xf32>, %dy: tensor<16x512xf32>, %u: tensor<16x512xf32>)
    -> (tensor<2x16x512xf32>, tensor<16x512xf32>, tensor<512xf32>) {
  %i = tensor.empty() : tensor<2x16x512xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<2x16x512xf32>, tensor<512xf32>) outs(%i : tensor<2x16x512xf32>)
       dims = [2] epsilon = 1.0e-6 : f32 -> tensor<2x16x512xf32>
  %j = tensor.empty() : tensor<16x512xf32>
  %k = tensor.empty() : tensor<512xf32>
  %d:2 = norm.rmsnorm_backward ins(%dy, %u : tensor<16x512xf32>, tensor<16x512xf32>) weight(%w : tensor<512xf32>)
       dx(%j : tensor<16x512xf32>) dw(%k : tensor<512xf32>) dims = [1] epsilon = 1.0e-6 : f32
       -> tensor<16x512xf32>, tensor<512xf32>
  return %y, %d#0, %d#1 : tensor<2x16x512xf32>, tensor<16x512xf32>, tensor<512xf32>
}

// -----

func.func @dynamic(%x: tensor<?x512xf32>, %i: tensor<?x512xf32>) -> tensor<?x512xf32> {
  // expected-error @below {{has dynamic extents, for which Shardy has no rule}}
  %y = norm.rmsnorm ins(%x : tensor<?x512xf32>) outs(%i : tensor<?x512xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

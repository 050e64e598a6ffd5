// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-widen-all-reduces))' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bf16
// CHECK: %[[W:.*]] = arith.extf %arg0 : tensor<8xbf16> to tensor<8xf32>
// CHECK: %[[S:.*]] = shard.all_reduce %[[W]] on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
// CHECK: arith.truncf %[[S]] : tensor<8xf32> to tensor<8xbf16>
shard.grid @g(shape = 4)
func.func @bf16(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<8xbf16> -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// The operand is converted to the result's type, in which the sum is.
// CHECK-LABEL: func.func @to_f64
// CHECK: %[[W:.*]] = arith.extf %arg0 : tensor<8xf16> to tensor<8xf64>
// CHECK: shard.all_reduce %[[W]] on @g grid_axes = [0] : tensor<8xf64> -> tensor<8xf64>
func.func @to_f64(%x: tensor<8xf16>) -> tensor<8xf64> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf16> -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// CHECK-LABEL: func.func @others
// CHECK-NEXT: shard.all_reduce %arg0 {{.*}} : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT: shard.all_reduce %arg1 {{.*}} : tensor<8xi32> -> tensor<8xi32>
func.func @others(%x: tensor<8xf32>, %n: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %n on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
  return %0, %1 : tensor<8xf32>, tensor<8xi32>
}

// -----

shard.grid @g(shape = 4)
func.func @bit(%x: tensor<8xi1>) -> tensor<8xi1> {
  // expected-error @below {{has elements of type 'i1', for which MPI has no datatype}}
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<8xi1> -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

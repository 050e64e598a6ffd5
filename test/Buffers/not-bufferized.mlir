// Ops on tensors that upstream's bufferization does not know, and that no front end leaves.
// RUN: not norm-compile %s --emit=vector -o %t 2>&1 | FileCheck %s
// CHECK: not-bufferized.mlir:7:8: error: op was not bufferized

func.func @gather(%x: tensor<8x4xf32>, %i: tensor<3x1xindex>) -> tensor<3x1x4xf32> {
  // The rows that %i names.
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<3x1x4xf32>
  return %r : tensor<3x1x4xf32>
}

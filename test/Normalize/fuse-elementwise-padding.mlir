// Reshapes that cannot move past a padding by upstream's patterns.
// RUN: norm-opt %s --norm-lower-tensor-ops --linalg-fold-unit-extent-dims --norm-fuse-elementwise | FileCheck %s
// RUN: norm-run %s --function=behind --input=1x2x2xi32=1,2,3,4 --expected-output=1x2x2xi32=2,4,6,8 --expected-output=1x1x2x1x4xi32=1,2,9,9,3,4,9,9
// RUN: norm-run %s --function=refined --input=4x1x2x1xf32=1,2,3,4,5,6,7,8 --input=4x3x1xf32=0 --expected-output=4x3x1xf32=9,1,2,9,3,4,9,5,6,9,7,8

// The extent of the expansion is computed behind the padding.
// CHECK-LABEL: func @behind
// CHECK: tensor.pad %arg0
func.func @behind(%a: tensor<?x2x2xi32>) -> (tensor<?x2x2xi32>, tensor<?x1x2x1x4xi32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 9 : i32
  %d = tensor.dim %a, %c0 : tensor<?x2x2xi32>
  %e = tensor.empty(%d) : tensor<?x2x2xi32>
  %b = linalg.add ins(%a, %a : tensor<?x2x2xi32>, tensor<?x2x2xi32>) outs(%e : tensor<?x2x2xi32>) -> tensor<?x2x2xi32>
  %e1 = tensor.empty(%d) : tensor<?x1x2x1x4xi32>
  %p = linalg.pack %a padding_value(%k : i32) outer_dims_perm = [0, 2, 1] inner_dims_pos = [1, 2] inner_tiles = [1, 4] into %e1 : tensor<?x2x2xi32> -> tensor<?x1x2x1x4xi32>
  return %b, %p : tensor<?x2x2xi32>, tensor<?x1x2x1x4xi32>
}

// The padding has an extent of its reader that its input does not have.
// CHECK-LABEL: func @refined
// CHECK: tensor.pad %collapsed low[0, 1, 0] high[0, 0, 0]
// CHECK: : tensor<?x2x?xf32> to tensor<4x3x?xf32>
func.func @refined(%a: tensor<?x1x2x?xf32>, %start: tensor<4x3x?xf32>) -> tensor<4x3x?xf32> {
  %k = arith.constant 9.0 : f32
  %c = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<?x1x2x?xf32> into tensor<?x2x?xf32>
  %p = tensor.pad %c low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %k : f32
  } : tensor<?x2x?xf32> to tensor<4x3x?xf32>
  %r = linalg.add ins(%p, %p : tensor<4x3x?xf32>, tensor<4x3x?xf32>) outs(%start : tensor<4x3x?xf32>) -> tensor<4x3x?xf32>
  %s = linalg.sub ins(%r, %p : tensor<4x3x?xf32>, tensor<4x3x?xf32>) outs(%start : tensor<4x3x?xf32>) -> tensor<4x3x?xf32>
  return %s : tensor<4x3x?xf32>
}

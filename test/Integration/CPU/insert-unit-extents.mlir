// An insertion whose extents are open, and found to be 1 by those of another operand: upstream's folding of a
// slice that drops a dimension then drops another one.
// RUN: norm-run %s --function=f --input=1x1xf32=10 --input=2x1x3x1x1xf32=1,2,3,4,5,6 --input=4x3x5x3x3xf32=0 | FileCheck %s
// CHECK: result[0]: 4x3x5x3x3xf32=
// CHECK-SAME: [0 0 0][0 22 0][0 0 0]
// CHECK-SAME: [0 0 0][0 24 0][0 0 0]
// CHECK-SAME: [0 0 0][0 26 0][0 0 0]
// CHECK-SAME: [0 0 0][0 28 0][0 0 0]
// CHECK-SAME: [0 0 0][0 30 0][0 0 0]
// CHECK-SAME: [0 0 0][0 32 0][0 0 0]
func.func @f(%a: tensor<1x1xf32>, %c: tensor<?x?x?x1x?xf32>, %b: tensor<4x3x5x3x3xf32>) -> tensor<4x3x5x3x3xf32> {
  %v = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2,d3,d4) -> (d1,d4)>, affine_map<(d0,d1,d2,d3,d4) -> (d0,d1,d2,d3,d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<1x1xf32>) outs(%c : tensor<?x?x?x1x?xf32>) {
^bb0(%x: f32, %o: f32):
  %t = arith.addf %o, %x : f32
  linalg.yield %t : f32
} -> tensor<?x?x?x1x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %v, %c0 : tensor<?x?x?x1x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %v, %c1 : tensor<?x?x?x1x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %v, %c2 : tensor<?x?x?x1x?xf32>
  %c4 = arith.constant 4 : index
  %d4 = tensor.dim %v, %c4 : tensor<?x?x?x1x?xf32>
  %e = tensor.empty(%d0, %d1, %d2, %d4) : tensor<?x?x?x1x?xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2,d3,d4) -> (d0,d1,d2,d3,d4)>, affine_map<(d0,d1,d2,d3,d4) -> (d0,d1,d2,d3,d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<?x?x?x1x?xf32>) outs(%e : tensor<?x?x?x1x?xf32>) {
^bb0(%x: f32, %o: f32):
  %y = arith.addf %x, %x : f32
  linalg.yield %y : f32
} -> tensor<?x?x?x1x?xf32>
  %r = tensor.insert_slice %w into %b[1, 1, 1, 1, 1] [%d0, %d1, %d2, 1, %d4] [1, 1, 1, 1, 1] : tensor<?x?x?x1x?xf32> into tensor<4x3x5x3x3xf32>
  return %r : tensor<4x3x5x3x3xf32>
}

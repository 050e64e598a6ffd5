// An open extent that another operand gives: upstream takes it for 0 when it folds extents of 1.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --input=1x3xf32=1,2,3 --input=1x1xf32=10 | FileCheck %s --check-prefix=VALUES
// RUN: norm-opt %s --linalg-fold-unit-extent-dims | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: tensor.expand_shape {{.*}} output_shape [1, %c0]

// CHECK: %[[KNOWN:.*]] = tensor.cast %arg1 : tensor<1x?xf32> to tensor<1x1xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[KNOWN]] : tensor<1x1xf32>)
// CHECK: tensor.cast %[[SUM]] : tensor<1x1xf32> to tensor<1x?xf32>
// VALUES: result[0]: 1x1xf32=[16]
func.func @main(%x: tensor<1x3xf32>, %start: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x3xf32>) outs(%start : tensor<1x?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<1x?xf32>
  return %sum : tensor<1x?xf32>
}

// Upstream's pattern takes maps of loops alone, and broadcasts check their input.
// CHECK-LABEL: func @broadcast
// CHECK-NOT: linalg.broadcast
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3xf32>)
func.func @broadcast(%x: tensor<?xf32>, %e: tensor<2x?xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %b = linalg.broadcast ins(%x : tensor<?xf32>) outs(%e : tensor<2x?xf32>) dimensions = [0]
  %s = linalg.add ins(%b, %y : tensor<2x?xf32>, tensor<2x3xf32>) outs(%y : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

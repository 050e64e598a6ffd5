// The op has no partial reduction, but its row reduction has: decomposed, the
// sum of squares is split into 4 partial sums a row.
// RUN: norm-opt %s --norm-to-linalg --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @f(
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<16x4xf32>)
// CHECK: %[[PARTIAL:.*]] = scf.for %{{.*}} = %c0 to %c64 step %c4 iter_args(%{{.*}} = %[[ZERO]]) -> (tensor<16x4xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<16x4xf16>)
// CHECK: arith.mulf
// CHECK: %[[SUM:.*]] = linalg.reduce ins(%[[PARTIAL]] : tensor<16x4xf32>) outs(%{{.*}} : tensor<16xf32>) dimensions = [1]
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<16xf32>)
// CHECK: math.sqrt
func.func @f(%x: tensor<16x64xf16>, %i: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %y = norm.rmsnorm ins(%x : tensor<16x64xf16>) outs(%i : tensor<16x64xf16>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match interface{LinalgOp} attributes{iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]} in %m : (!transform.any_op) -> !transform.any_op
    %f, %p, %c, %l = transform.structured.tile_reduction_using_for %op by tile_sizes = [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

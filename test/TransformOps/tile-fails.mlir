// A plan that no loop can follow.
// RUN: norm-opt %s --transform-interpreter --verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<128x96xf32>, %o: tensor<128x96xf32>) -> tensor<128x96xf32> {
  // expected-error @below {{norm-tile-rows: has a plan with parts of rows that it does not sum}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x96xf32>) outs(%o : tensor<128x96xf32>)
      attrs = {norm.plan = #norm.row_plan<rows_per_part = 16>} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %function = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.norm.tile %function : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

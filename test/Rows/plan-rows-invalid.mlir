// Plans that fit no loop.
// RUN: norm-opt %s --norm-tile-rows --split-input-file --verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @member(%x: tensor<128x64xf32>, %o: tensor<128x64xf32>, %e: tensor<128xf32>) -> tensor<128x64xf32> {
  // expected-error @+1 {{norm-tile-rows: has the plan of a loop over rows, but no such loop ends with it}}
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x64xf32>) outs(%e : tensor<128xf32>)
      attrs = {norm.plan = #norm.row_plan<rows_per_block = 2>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x64xf32>, tensor<128xf32>) outs(%o : tensor<128x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @parts(%x: tensor<128x64xf32>, %o: tensor<128x64xf32>) -> tensor<128x64xf32> {
  // expected-error @+1 {{norm-tile-rows: has a plan with parts of rows that it does not sum}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x64xf32>) outs(%o : tensor<128x64xf32>)
      attrs = {norm.plan = #norm.row_plan<rows_per_part = 16>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// Threads that share rows have schedules.
// RUN: not norm-opt %s --norm-tile-rows=scheduled 2>&1 | FileCheck %s
// CHECK: error: norm-tile-rows: has the plan of a CPU

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<128x64xf32>, %o: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x64xf32>) outs(%o : tensor<128x64xf32>)
      attrs = {norm.plan = #norm.row_plan<lanes = 32>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

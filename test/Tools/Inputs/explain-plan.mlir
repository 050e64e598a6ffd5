#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @copy(%x: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %e = tensor.empty() : tensor<128x96xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x96xf32>) outs(%e : tensor<128x96xf32>)
      attrs = {norm.plan = #norm.row_plan<rows_per_block = 4, lanes = 32, stream = false, pipeline = false>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

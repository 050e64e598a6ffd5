// RUN: norm-opt %s --norm-recognize -o %t && norm-opt %s -o %t.plain && cmp %t %t.plain

// x / sqrt(x * x): each element by itself, no sum at all.

#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %r = math.rsqrt %square : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// A norm over rows of 8, and the same with a division by 7.
#row = affine_map<(r, c) -> (r)>
#all = affine_map<(r, c) -> (r, c)>
#col = affine_map<(r, c) -> (c)>

func.func @norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %row = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %sq = arith.mulf %a, %a : f32
    %t = arith.addf %s, %sq : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %out = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) outs(%out : tensor<4x8xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32, %o: f32):
    %m = arith.divf %s, %n : f32
    %e = arith.addf %m, %eps : f32
    %r = math.rsqrt %e : f32
    %z = arith.mulf %a, %r : f32
    %v = arith.mulf %z, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @near_miss(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 7.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %row = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %sq = arith.mulf %a, %a : f32
    %t = arith.addf %s, %sq : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %out = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%out : tensor<4x8xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.divf %s, %n : f32
    %e = arith.addf %m, %eps : f32
    %r = math.rsqrt %e : f32
    %z = arith.mulf %a, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

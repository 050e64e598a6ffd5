"""Prints a norm whose mean is bounded by 0 many times: maxima.py LEVELS."""
import sys

LEVELS = int(sys.argv[1])
MAXIMA = "\n".join(f"    %m{i + 1} = arith.maximumf %m{i}, %zero : f32" for i in range(LEVELS))
print(f"""#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @maxima(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<4xf32>
  %empty = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {{
  ^bb0(%v: f32, %acc: f32):
    %square = arith.mulf %v, %v : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  }} -> tensor<4xf32>
  %y = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%empty : tensor<4x8xf32>) {{
  ^bb0(%v: f32, %s: f32, %out: f32):
    %m0 = arith.divf %s, %n : f32
{MAXIMA}
    %m = arith.addf %m{LEVELS}, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %v, %r : f32
    linalg.yield %z : f32
  }} -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}}""")

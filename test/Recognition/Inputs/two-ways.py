"""Prints a norm whose sum is reached in two ways: two-ways.py OPS first|last.

A chain of OPS ops on the sum is added to the norm, by the op that scales; it is the
first or the last operand of that op.
"""
import sys

ops, is_first = int(sys.argv[1]), sys.argv[2] == "first"
print("""#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %chain0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>""")
for i in range(ops):
    print(f"  %chain{i + 1} = linalg.exp ins(%chain{i} : tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>")
chain, total = (f"%chain{ops}", "%g: f32"), ("%chain0", "%s: f32")
(one, first), (two, second) = (chain, total) if is_first else (total, chain)
print(f"""  %y = linalg.generic {{indexing_maps = [#row, #all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins({one}, %x, {two} : tensor<4xf32>, tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {{
  ^bb0({first}, %in: f32, {second}, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %o = arith.addf %z, %g : f32
    linalg.yield %o : f32
  }} -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}}""")

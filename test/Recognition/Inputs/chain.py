"""Prints norms in a chain of residual sums: chain.py FOUND REFUSED [--terms=N].

The rejected ones divide by n + 1. With --terms, the first x is a sum of N terms.
"""
import sys

BLOCK = """
  %sum{i} = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x{i} : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {{
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  }} -> tensor<4xf32>
  %y{i} = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x{i}, %sum{i} : tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {{
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %{n} : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  }} -> tensor<4x32xf32>
  %x{j} = linalg.add ins(%x{i}, %y{i} : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>"""

TERM = "\n    %v{j} = arith.addf %v{i}, %c{i} : f32"


def print_terms(count):
    """%x0 from %x, in one body."""
    print("""  %x0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%v0: f32, %out: f32):""")
    for i in range(count):
        print(f"    %c{i} = arith.constant {i + 1}.0 : f32" + TERM.format(i=i, j=i + 1))
    print(f"    linalg.yield %v{count} : f32\n  }} -> tensor<4x32xf32>")


found, rejected = int(sys.argv[1]), int(sys.argv[2])
terms = int(sys.argv[3].split("=")[1]) if len(sys.argv) > 3 else 0
print("""#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @chain(%@: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %wrong = arith.constant 33.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>""".replace("%@", "%x" if terms else "%x0"))
if terms:
    print_terms(terms)
for i in range(found + rejected):
    print(BLOCK.format(i=i, j=i + 1, n="n" if i < found else "wrong"))
print(f"  return %x{found + rejected} : tensor<4x32xf32>\n}}")

"""Prints a norm of a sum of many terms: terms.py TERMS [OPS].

Each body computes the sum itself; with OPS, so many ops do it for both, one after
the other, each of which adds TERMS.
"""
import sys

TERM = "    %v{j} = arith.addf %v{i}, %c{i} : f32"


def print_terms(count):
    for i in range(count):
        print(f"    %c{i} = arith.constant {i + 1}.0 : f32\n" + TERM.format(i=i, j=i + 1))


def print_norm(x, terms):
    print(f"""  %sum = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins({x} : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {{
  ^bb0(%v0: f32, %acc: f32):""")
    print_terms(terms)
    print(f"""    %square = arith.mulf %v{terms}, %v{terms} : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  }} -> tensor<4xf32>
  %y = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins({x}, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {{
  ^bb0(%v0: f32, %s: f32, %out: f32):""")
    print_terms(terms)
    print(f"""    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %v{terms}, %r : f32
    linalg.yield %z : f32
  }} -> tensor<4x32xf32>""")


terms, ops = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
print("""#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x0: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>""")
for i in range(ops):
    print(f"""  %x{i + 1} = linalg.generic {{indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x{i} : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {{
  ^bb0(%v0: f32, %out: f32):""")
    print_terms(terms)
    print(f"    linalg.yield %v{terms} : f32\n  }} -> tensor<4x32xf32>")
print_norm(f"%x{ops}", 0 if ops else terms)
print("  return %y : tensor<4x32xf32>\n}")

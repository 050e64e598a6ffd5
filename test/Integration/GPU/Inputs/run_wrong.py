"""Breaks a compiled kernel in three ways and prints what the interpreter says."""
import re
import sys
import numpy as np
import device
import ptx
from normtest import align

work = sys.argv[1]
source = work + "/wrong.mlir"
with open(source, "w") as file:
    file.write("""func.func @main(%x: tensor<8x4096xf32>) -> tensor<8x4096xf32> {
  %i = tensor.empty() : tensor<8x4096xf32>
  %y = norm.rmsnorm ins(%x : tensor<8x4096xf32>) outs(%i : tensor<8x4096xf32>)
       dims = [1] epsilon = 0.0 : f32 -> tensor<8x4096xf32>
  return %y : tensor<8x4096xf32>
}
""")
library = device.build(source, source)
parse = ptx.parse_kernels


def attempt(what, change):
    ptx.parse_kernels = lambda text: parse(change(text))
    x = np.random.default_rng(1).standard_normal((8, 4096)).astype(np.float32)
    # Room for alignment; what lies around it is not the program's.
    y, _ = align(np.zeros_like(x))
    program = device.Program(library)
    try:
        program.call("main", [x, y])
        wide = x.astype(np.float64)
        expected = wide / np.sqrt((wide ** 2).mean(axis=1, keepdims=True))
        print("%s: wrong by %.2g" % (what, np.abs(y - expected).max()) if np.abs(y - expected).max() > 1e-3
              else what + ": right")
    except RuntimeError as error:
        print("%s: %s" % (what, error))


attempt("missing shuffle", lambda text: re.sub(r"(shfl\S*\s+\S+ \S+) 16,", r"\1 8,", text))
# The row's number times its size, one row too far; then one element too far.
attempt("past the end", lambda text: text.replace("ld.global.v4.b32", "ld.global.v4.b32").replace(
    "%ctaid.x;", "%nctaid.x;"))
attempt("shifted by an element", lambda text: re.sub(r"(ld\.global\.v4\S*\s+\{[^}]*\}, \[%rd\d+)\]", r"\1+4]", text))

"""A norm of a residual sum, each result in the buffer of an input, under the emulation.

    in_place.py WORK RUNNER ARGS...   one line a class: ok or the error in ulp
"""
import sys

import numpy as np
from normtest import get_errors, norm, run, store, widen

ROWS = 3
CLASSES = [(n, kind) for n in (520, 4096, 4097, 16384, 32768) for kind in ("f32", "f16", "bf16")]


def program(n, kind):
    rows, row = "%dx%dx%s" % (ROWS, n, kind), "%dx%s" % (n, kind)
    return """func.func @main(%%xb: memref<{0}>, %%rb: memref<{0}>, %%w: tensor<{1}>) {{
  %%x = bufferization.to_tensor %%xb restrict writable : memref<{0}> to tensor<{0}>
  %%r = bufferization.to_tensor %%rb restrict writable : memref<{0}> to tensor<{0}>
  %%h = linalg.add ins(%%x, %%r : tensor<{0}>, tensor<{0}>) outs(%%r : tensor<{0}>) -> tensor<{0}>
  %%y = norm.rmsnorm ins(%%h, %%w : tensor<{0}>, tensor<{1}>) outs(%%x : tensor<{0}>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<{0}>
  bufferization.materialize_in_destination %%h in restrict writable %%rb : (tensor<{0}>, memref<{0}>) -> ()
  bufferization.materialize_in_destination %%y in restrict writable %%xb : (tensor<{0}>, memref<{0}>) -> ()
  return
}}
""".replace("%%", "%").format(rows, row)


def check(work, runner, n, kind):
    rng = np.random.default_rng(n)
    x, r, w = (store(rng.standard_normal(shape), kind) for shape in ((ROWS, n), (ROWS, n), (n,)))
    path = "%s/%d_%s" % (work, n, kind)
    with open(path + ".mlir", "w") as file:
        file.write(program(n, kind))
    y, sums = (v.view(x.dtype) for v in run(runner + [path + ".mlir"], path, (x, r, w), 2))
    h = store(widen(x).astype(np.float32) + widen(r).astype(np.float32), kind)
    error = get_errors(widen(y), norm(widen(h), widen(w)), kind).max()
    bound = 6 if kind == "f32" else 1
    same = np.array_equal(sums, h)
    return "ok" if same and error <= bound else "sum %s, error %.2f ulp" % ("right" if same else "WRONG", error)


for n, kind in CLASSES:
    print("%d %s: %s" % (n, kind, check(sys.argv[1], sys.argv[2:], n, kind)))

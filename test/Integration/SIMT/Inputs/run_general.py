"""Softmax and LayerNorm in linalg on the emulated GPU, over rows of many lengths
in one program, against f64. Usage: run_general.py WORK softmax|layernorm static|dynamic"""
import sys
import numpy as np
from normtest import run

WORK, WHAT, SHAPE = sys.argv[1:]
LENGTHS = [1, 3, 31, 32, 33, 64, 111, 128, 1000, 1024, 1152, 4095, 4096, 4097, 16384, 40000]

SOFTMAX = """
  %y = linalg.softmax dimension(1) ins(%x : {t}) outs(%x : {t}) -> {t}
"""
LAYERNORM = """
  %n = arith.index_cast %d1 : index to i32
  %f = arith.sitofp %n : i32 to f32
  %e = tensor.empty({rows}) : {r}
  %o = tensor.empty({sizes}) : {t}
  %z = linalg.fill ins(%zero : f32) outs(%e : {r}) -> {r}
  %s = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}} ins(%x : {t}) outs(%z : {r}) {{
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  }} -> {r}
  %q = linalg.generic {{indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}} ins(%x, %s : {t}, {r}) outs(%z : {r}) {{
  ^bb0(%a: f32, %m: f32, %b: f32):
    %mean = arith.divf %m, %f : f32
    %c = arith.subf %a, %mean : f32
    %p = arith.mulf %c, %c : f32
    %v = arith.addf %p, %b : f32
    linalg.yield %v : f32
  }} -> {r}
  %y = linalg.generic {{indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}} ins(%x, %s, %q : {t}, {r}, {r}) outs(%o : {t}) {{
  ^bb0(%a: f32, %m: f32, %p: f32, %out: f32):
    %mean = arith.divf %m, %f : f32
    %c = arith.subf %a, %mean : f32
    %var = arith.divf %p, %f : f32
    %d = arith.addf %var, %eps : f32
    %w = math.rsqrt %d : f32
    %v = arith.mulf %c, %w : f32
    linalg.yield %v : f32
  }} -> {t}
"""


def function(name, shape, tensor):
    """One on tensors of a shape, or of any."""
    dynamic = SHAPE == "dynamic"
    text = "func.func private @%s(%%x: %s) -> %s {\n" % (name, tensor, tensor)
    text += "  %zero = arith.constant 0.0 : f32\n  %eps = arith.constant 1.0e-5 : f32\n"
    text += "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    text += "  %%d0 = tensor.dim %%x, %%c0 : %s\n  %%d1 = tensor.dim %%x, %%c1 : %s\n" % (tensor, tensor)
    text += (SOFTMAX if WHAT == "softmax" else LAYERNORM).format(
        t=tensor, r="tensor<?xf32>" if dynamic else "tensor<%dxf32>" % shape[0],
        rows="%d0" if dynamic else "", sizes="%d0, %d1" if dynamic else "")
    return text + "  return %%y : %s\n}\n" % tensor


def program(shapes):
    if SHAPE == "dynamic":
        types = ["tensor<?x?xf32>"] * len(shapes)
        names = ["any"] * len(shapes)
    else:
        types = ["tensor<%dx%dxf32>" % s for s in shapes]
        names = ["rows%d" % n for _, n in shapes]
    text = "#id = affine_map<(d0, d1) -> (d0, d1)>\n#row = affine_map<(d0, d1) -> (d0)>\n"
    functions = {name: function(name, s, t) for name, s, t in zip(names, shapes, types)}
    text += "".join(functions.values())
    text += "func.func @main(%s) -> (%s) {\n" % (
        ", ".join("%%x%d: %s" % it for it in enumerate(types)), ", ".join(types))
    for i, (name, t) in enumerate(zip(names, types)):
        text += "  %%y%d = call @%s(%%x%d) : (%s) -> %s\n" % (i, name, i, t, t)
    return text + "  return %s : %s\n}\n" % (", ".join("%%y%d" % i for i in range(len(types))), ", ".join(types))


def reference(x):
    if WHAT == "softmax":
        # The difference is rounded to f32 before its exponential, which would
        # magnify that.
        e = np.exp((x - x.max(axis=1, keepdims=True)).astype(np.float64))
        y = e / e.sum(axis=1, keepdims=True)
        return y, np.abs(y)
    wide = x.astype(np.float64)
    centered = wide - wide.mean(axis=1, keepdims=True)
    y = centered / np.sqrt((centered ** 2).mean(axis=1, keepdims=True) + 1e-5)
    # Centering cancels, so the error is measured on the scale of the row.
    return y, np.ones_like(y)


shapes = [(6 if n <= 128 else 2, n) for n in LENGTHS]
rng = np.random.default_rng(5)
inputs = [(rng.standard_normal(s) * 2).astype(np.float32) for s in shapes]
with open(WORK + "/program.mlir", "w") as file:
    file.write(program(shapes))
results = run(["norm-run", "--pipeline=simt", WORK + "/program.mlir"], WORK + "/general", inputs, len(inputs))
good = True
for i, (x, y) in enumerate(zip(inputs, results)):
    expected, scale = reference(x)
    error = np.abs(y - expected) / (scale * 2.0 ** -23)
    ulp = float(np.max(error))
    limit = 4 if WHAT == "softmax" else 8
    ok = ulp <= limit
    good &= ok
    print("%s %s %dx%d: %.2f ulp %s" % ((SHAPE, WHAT) + shapes[i] + (ulp, "ok" if ok else "ABOVE %d" % limit)))
sys.exit(0 if good else 1)

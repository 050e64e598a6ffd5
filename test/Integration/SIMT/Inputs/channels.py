"""Runs norms over a dimension that is not the last on the emulated GPU.

    channels.py DIRECTORY static|dynamic TYPE BATCHxROWSxCOLUMNS...
"""
import sys

import numpy as np
from normtest import get_errors, run, store, widen

directory, shapes, type = sys.argv[1], sys.argv[4:], sys.argv[3]
isStatic = sys.argv[2] == "static"
failed = False


def program(b, m, n):
    if not isStatic:
        b = m = n = "?"
    x, w = f"tensor<{b}x{m}x{n}x{type}>", f"tensor<{m}x{type}>"
    sizes = "" if isStatic else "%b, %m, %n"
    extents = "" if isStatic else "".join(
        f"  %c{i} = arith.constant {i} : index\n  %{name} = tensor.dim %x, %c{i} : {x}\n" for i, name in enumerate("bmn"))
    return f"""
func.func @main(%x: {x}, %w: {w}) -> {x} {{
{extents}  %e = tensor.empty({sizes}) : {x}
  %0 = norm.rmsnorm ins(%x, %w : {x}, {w}) outs(%e : {x}) dims = [1] epsilon = 1.0e-6 : f32 -> {x}
  return %0 : {x}
}}
"""


for shape in shapes:
    b, m, n = map(int, shape.split("x"))
    random = np.random.default_rng(b + m * 7 + n)
    x = random.standard_normal((b, m, n)).astype(np.float32)
    for i, value in enumerate((np.nan, np.inf, -0.0, 1e-40, 1e30)):
        if n > 2 * i + 1:
            x[random.integers(b), random.integers(m), 2 * i] = value
    if n > 12:
        x[:, :, 12] = 0
    w = random.uniform(0.5, 1.5, m).astype(np.float32)
    x, w = store(x, type), store(w, type)
    name = f"{directory}/{shape}"
    with open(f"{name}.mlir", "w") as file:
        file.write(program(b, m, n))
    y = run(["norm-run", "--pipeline=simt", f"{name}.mlir"], name, (x, w))[0]
    wide = widen(x).astype(np.float64)
    with np.errstate(all="ignore"):
        squares = (wide**2).astype(np.float32).astype(np.float64)  # which overflow and vanish in f32
        exact = wide / np.sqrt(squares.mean(1, keepdims=True) + np.float64(np.float32(1e-6)))
        exact *= widen(w).astype(np.float64).reshape(1, -1, 1)
    worst = get_errors(widen(y), exact, type).max()
    # Two levels of 16 additions (docs/Codegen.md), and one flip of a bf16.
    good = worst <= (0.6 if type == "bf16" else (16 + 16 + 1) / 2 + 5)
    failed |= not good
    print(f"{shape} {type}: {worst:.2f} ulp{'' if good else ' WRONG'}")
print("failed" if failed else "all ok")
sys.exit(failed)

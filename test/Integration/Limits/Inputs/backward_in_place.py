"""dx in the buffer of dy or of x must have the bits of dx in a buffer of its own, and dw too.

    backward_in_place.py PREFIX      with norm-compile in PATH
"""
import ctypes
import itertools
import subprocess
import sys

import normtest
import numpy as np

# Shape, normalized dims, dims of the weight: rows, channels, heads, a weight for each row.
LAYOUTS = [((7, 64), [1], [1]), ((513, 111), [1], [1]), ((65, 4096), [1], [1]), ((4, 16, 40), [1], [1]),
           ((2, 9, 3, 32), [3], [3]), ((2, 9, 3, 32), [3], [2, 3]), ((5, 96), [1], [0]), ((6, 8, 24), [1, 2], [1, 2])]


def program(shape, dims, weight, element):
    tensor = lambda extents: f"tensor<{''.join(f'{n}x' for n in extents)}{element}>"
    x, w = tensor(shape), tensor([shape[d] for d in weight])
    return f"""
func.func @f(%dy: {x}, %x: {x}, %w: {w}) -> ({x}, {w}) {{
  %i = tensor.empty() : {x}
  %j = tensor.empty() : {w}
  %d:2 = norm.rmsnorm_backward ins(%dy, %x : {x}, {x}) weight(%w : {w}) dx(%i : {x}) dw(%j : {w})
    dims = {dims} epsilon = 1.0e-6 : f32 weight_dims = {weight} -> {x}, {w}
  return %d#0, %d#1 : {x}, {w}
}}"""


def call(function, dy, x, w, place):
    arrays = {"dy": dy.copy(), "x": x.copy(), "w": w.copy()}
    dx, dw = arrays.get(place, np.zeros_like(x)), np.zeros_like(w)
    normtest.call(function, *arrays.values(), dx, dw)
    return dx, dw


def check(prefix, layout, element, threads):
    path = f"{prefix}-{'x'.join(map(str, layout[0]))}-{len(layout[2])}{element}{threads}.so"
    subprocess.run(["norm-compile", "-", "--emit=shared", f"--threads={threads}", "-o", path],
                   input=program(*layout, element), text=True, check=True)
    function = ctypes.CDLL(path)._mlir_ciface_f
    rng = np.random.default_rng(3)
    dy, x = (normtest.store(rng.standard_normal(layout[0]), element) for _ in range(2))
    w = normtest.store(rng.standard_normal([layout[0][d] for d in layout[2]]), element)
    apart = call(function, dy, x, w, None)
    wrong = [place for place in ("dy", "x")
             if any((a != b).any() for a, b in zip(apart, call(function, dy, x, w, place)))]
    print(f"{layout} {element} {threads} threads:", f"WRONG in {wrong}" if wrong else "the same bits")


if __name__ == "__main__":
    for case in itertools.product(LAYOUTS, ("f32", "bf16"), (1, 2)):
        check(sys.argv[1], *case)

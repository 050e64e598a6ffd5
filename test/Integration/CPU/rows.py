"""Inputs of rows.mlir and their f64 references, as numpy files.

    rows.py OUT                         writes OUT.SHAPE.NAME.npy
    rows.py OUT --layernorm SHAPE FILE  checks a LayerNorm against its error bound
"""
import sys

import numpy as np

SHAPES = [(3, 1), (5, 37), (2, 64), (67, 257), (3, 1000)]
F32 = np.float32
UNIT = 2.0**-24  # half an ulp of f32, relative


def softmax(x):
    # Follows the program's one rounding that exp would amplify.
    shifted = (x - x.max(-1, keepdims=True)).astype(np.float64)
    e = np.exp(shifted)
    return e / e.sum(-1, keepdims=True)


def layernorm(x, w, b):
    """The exact result, and the largest error of f32 arithmetic in it.

    The mean is a sum of n roundings; what it costs depends on the size of the
    terms and not on their difference, so neither does the bound.
    """
    x, w, b = (v.astype(np.float64) for v in (x, w, b))
    n = x.shape[-1]
    mean = x.mean(-1, keepdims=True)
    centered = x - mean
    r = 1 / np.sqrt((centered**2).mean(-1, keepdims=True) + np.float64(F32(1e-5)))
    y = centered * r * w + b
    size = np.abs(x) + np.abs(mean) + np.abs(x).mean(-1, keepdims=True)
    # Additions one after the other of any element: n / 64 + 7, see Codegen.md.
    depth = n / 64 + 12
    return y, UNIT * (depth * size * r * np.abs(w) + np.abs(y) * (depth + 4) + np.abs(b))


def inputs(shape, random):
    rows, n = shape
    draw = lambda *s: random.standard_normal(s).astype(F32)
    return {
        "x": draw(rows, n), "res": np.abs(draw(rows, n)), "gate": np.abs(draw(rows, n)),
        "w": random.uniform(0.5, 1.5, n).astype(F32), "b": np.abs(draw(n)),
    }


def check_layernorm(prefix, file):
    x, w, b = (np.load(f"{prefix}.{name}.npy") for name in "xwb")
    y, bound = layernorm(x, w, b)
    worst = (np.abs(np.load(file) - y) / bound).max()
    print(f"layernorm {x.shape}: error {worst:.2f} of the bound")
    sys.exit(0 if worst <= 1 else 1)


def write(prefix, values):
    for name, value in values.items():
        np.save(f"{prefix}.{name}.npy", value)


if len(sys.argv) > 2:
    check_layernorm(f"{sys.argv[1]}.{sys.argv[3]}", sys.argv[4])
random = np.random.default_rng(1)
for shape in SHAPES:
    v = inputs(shape, random)
    # h, gate and bias are not negative: a sum that cancels has no bound in ulp.
    v["res"] += np.abs(v["x"])
    h = v["x"] + v["res"]
    wide = h.astype(np.float64)
    y = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + np.float64(F32(1e-6)))
    gated = y * v["w"] * v["gate"].astype(np.float64) + v["b"].astype(np.float64)
    write(f"{sys.argv[1]}.{shape[0]}x{shape[1]}", {**v, "h": h, "gated": gated, "softmax": softmax(v["x"])})

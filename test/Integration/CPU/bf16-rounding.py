"""Inputs and the checks of bf16-rounding.mlir; bf16 files hold bits as u2.

    bf16-rounding.py OUT                 writes the inputs, OUT.*.npy
    bf16-rounding.py OUT --check         compares what the functions wrote
    bf16-rounding.py OUT --check --wrong expects subnormals to be zeros
"""
import sys

import numpy as np
from normtest import narrow, widen

# On, beside and far from ties, to even and to odd.
LOWER = np.array([0, 1, 0x4000, 0x7FFF, 0x8000, 0x8001, 0xC000, 0xFFFF], dtype=np.uint32)
# 1, ties, the least normal number, subnormals, the largest, infinity and NaN.
WEIGHTS = np.array([0x3F80, 0x3F00, 0x3F81, 0xBFC1, 0x3E01, 0x0080, 0x0081, 0x807F, 0x0001,
                    0x0040, 0x7F7F, 0xFF7F, 0x1F80, 0x5F01, 0x7F80, 0xFF80, 0x7FC0, 0x0000,
                    0x8000, 0x2001], dtype=np.uint16)


def narrow64(v):
    """f64 through f32 rounded to odd, which keeps the side of a tie."""
    low = v.astype(np.float32)
    bits = low.view(np.uint32)
    back = low.astype(np.float64)
    toward_zero = bits - (np.abs(back) > np.abs(v))
    return narrow(np.where(back != v, toward_zero | 1, bits).astype(np.uint32).view(np.float32))


def inputs():
    every = np.arange(1 << 16, dtype=np.uint16)
    f32 = (widen(every).view(np.uint32)[:, None] | LOWER).view(np.float32)
    # Halves of ulps of f32 around ties of bf16; finite ones.
    f64 = f32[np.isfinite(f32)].astype(np.float64).reshape(-1, 8)
    step = np.ldexp(1.0, np.maximum(np.frexp(f64)[1] - 24, -149))
    f64 = (f64 + step * np.array([0, 0.25, -0.25, 0.5, 0, 0.25, 2**-20, -0.5])).reshape(-1, 128)
    x = np.broadcast_to(every, (len(WEIGHTS), 1 << 16)).copy()
    w = np.broadcast_to(WEIGHTS[:, None], x.shape).copy()
    return {"f32": f32, "f64": f64, "every": every, "x": x, "w": w,
            "xh": x.view(np.float16), "wh": w.view(np.float16),
            "one": np.uint16(0x0001), "large": np.array([0x807F] * 9, dtype=np.uint16)}


def check(prefix, flush):
    given = inputs()
    with np.errstate(all="ignore"):
        first = widen(given["x"]) * widen(given["w"])
        twice = widen(narrow(first)) * widen(given["w"])
        halves = given["xh"] * given["wh"]
        expected = {
            "vectors": narrow(given["f32"]),
            "scalars": narrow(given["f32"]).T,
            "doubles": narrow64(given["f64"]),
            "products": narrow(twice),
            "halves": (halves * given["wh"] + given["xh"]).view(np.uint16),
            "fill": np.full(77, 0x0001, dtype=np.uint16),
            "last": np.uint16(0x807F),
        }
    for name, right in expected.items():
        got = np.load(f"{prefix}.{name}.npy").view(np.uint16)
        if flush:
            right = np.where((right & 0x7FFF) < 0x80, right & 0x8000, right)
        same = got == right
        # Of two NaN either may be the result of a product.
        if name == "products":
            same |= np.isnan(twice) & np.isnan(widen(got))
        if name == "halves":
            same |= ((got & 0x7FFF) > 0x7C00) & ((right & 0x7FFF) > 0x7C00)
        least = 0x400 if name == "halves" else 0x80
        subnormal = ((right & 0x7FFF) < least) & ((right & 0x7FFF) != 0)
        print(f"{name}: {(~same).sum()} of {same.size} wrong, {subnormal.sum()} subnormal")


if "--check" in sys.argv:
    check(sys.argv[1], "--wrong" in sys.argv)
else:
    for name, value in inputs().items():
        np.save(f"{sys.argv[1]}.{name}.npy", value)

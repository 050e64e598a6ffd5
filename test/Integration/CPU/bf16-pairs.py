"""Inputs and the check of bf16-pairs.mlir; bf16 files hold bits as u2.

    bf16-pairs.py OUT           writes OUT.x.npy and OUT.w.npy
    bf16-pairs.py OUT --check   compares OUT.y.npy with x * w * w, rounded twice
"""
import sys

import numpy as np
from normtest import narrow, widen

SHAPE = (16, 10081)


def main(prefix, check):
    if not check:
        random = np.random.default_rng(5)
        x = random.integers(0, 1 << 16, SHAPE, dtype=np.uint16)
        w = random.integers(0, 1 << 16, SHAPE, dtype=np.uint16)
        # Small significands, whose products often lie half-way.
        x[::2] = 0x3F80 + (x[::2] & 0x7F)
        w[::2] = 0x3F80 + (w[::2] & 0x78)
        np.save(f"{prefix}.x.npy", x)
        np.save(f"{prefix}.w.npy", w)
        return
    x, w, y = (np.load(f"{prefix}.{name}.npy").view(np.uint16) for name in "xwy")
    with np.errstate(all="ignore"):
        first = widen(x) * widen(w)
        second = widen(narrow(first)) * widen(w)
    expected = narrow(second)
    isnan = np.isnan(second)
    wrong = np.where(isnan, ~np.isnan(widen(y)), y != expected)
    ties = ((first.view(np.uint32) & 0xFFFF) == 0x8000).sum()
    subnormal = ((expected & 0x7F80) == 0) & ((expected & 0x7F) != 0)
    print(f"{ties} ties, {isnan.sum()} NaN, {np.isinf(widen(expected)).sum()} infinite, "
          f"{subnormal.sum()} subnormal of {y.size}, {wrong.sum()} wrong")


main(sys.argv[1], "--check" in sys.argv)

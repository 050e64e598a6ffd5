"""The rounding orders of rounding.mlir, step by step in numpy.

    rounding.py OUT               writes OUT.TYPE.x.npy and OUT.TYPE.w.npy
    rounding.py OUT --check TYPE  compares OUT.llama_TYPE.npy and OUT.gemma_TYPE.npy

numpy has no bf16: such files hold its bits as u2.
"""
import sys

import numpy as np

F32 = np.float32


def to_bits(v, type):
    """f32 rounded once to the type, ties to even, as bits."""
    if type == "f16":
        return v.astype(np.float16).view(np.uint16)
    bits = v.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bits(bits, type):
    if type == "f16":
        return bits.view(np.float16).astype(F32)
    return (bits.astype(np.uint32) << 16).view(F32)


def load(file):
    v = np.load(file)
    return v.view(np.uint16)


def normalized(x):
    """f32 arithmetic, each step rounded; only the sum is exact."""
    mean = ((x.astype(np.float64) ** 2).sum(-1, keepdims=True)).astype(F32) / F32(x.shape[-1])
    return x * (F32(1) / np.sqrt(mean + F32(1e-6)))


def ordered(bits):
    """Bits as integers in the order of the values, so that neighbors differ by 1."""
    v = bits.astype(np.int32)
    return np.where(v & 0x8000, 0x8000 - v, v)


def check(prefix, type):
    x, w = (from_bits(load(f"{prefix}.{type}.{name}.npy"), type) for name in "xw")
    z = normalized(x)
    expected = {
        "llama": to_bits(from_bits(to_bits(z, type), type) * w, type),
        "gemma": to_bits(z * w, type),
    }
    passed = True
    for order, reference in expected.items():
        off = np.abs(ordered(load(f"{prefix}.{order}_{type}.npy")) - ordered(reference))
        print(f"{order}: {(off == 1).sum()} of {off.size} are neighbors, {(off > 1).sum()} further")
        # A last-bit difference of the f32 statistic flips few 16-bit roundings.
        passed &= (off == 1).sum() * 500 <= off.size and off.max() <= 1
    differ = (expected["llama"] != expected["gemma"]).sum()
    print(f"the orders differ in {differ} of {x.size}")
    sys.exit(0 if passed and differ * 20 > x.size else 1)


if len(sys.argv) > 2:
    check(sys.argv[1], sys.argv[3])
random = np.random.default_rng(2)
for type in ("f16", "bf16"):
    x = random.standard_normal((64, 257)).astype(F32)
    w = random.uniform(0.5, 1.5, 257).astype(F32)
    for name, value in (("x", x), ("w", w)):
        bits = to_bits(value, type)
        np.save(f"{sys.argv[1]}.{type}.{name}.npy", bits.view(np.float16) if type == "f16" else bits)

"""bf16 as bits, for the checks of bf16-pairs.mlir and bf16-rounding.mlir."""
import numpy as np


def widen(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def narrow(v):
    """To nearest, ties to even, once; a NaN keeps its upper half and is quiet."""
    bits = v.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(v), (bits >> 16).astype(np.uint16) | 0x40, rounded).astype(np.uint16)

"""Runs fused.mlir and compares with f64, one line per function.

    fused.py PREFIX RUNNER PROGRAM ARGS
"""
import sys

import fp8
import numpy as np
import neighbor_bounds
from neighbor_bounds import HALF, check_bias, check_functions, check_gate_after, check_residual, near
from normtest import narrow, norm, widen

F32, F64 = np.float32, np.float64


def check_gemma(v, y):
    x, w = widen(v["xb"]), widen(v["wb"]).astype(F64)
    expected = narrow(norm(x, w + 1).astype(F32))
    distance = np.abs(expected.astype(int) - y.astype(int))
    return distance.max() <= 1 and (distance > 0).mean() <= 1e-3


def check_int8(v, q, scale):
    return neighbor_bounds.check_int8(norm(widen(v["xb"]), widen(v["wb"])), q, scale)


def rounds_to(codes, values):
    """Each code is what its value rounds to, or the value is at a tie but for the
    errors before it."""
    slack = np.abs(values) * 20 * HALF
    bounds = [fp8.round_to(np.clip(values + d, -448, 448).astype(F32), "e4m3") for d in (-slack, slack)]
    actual = codes.view(np.uint8)
    return bool(((actual == bounds[0]) | (actual == bounds[1])).all())


def check_fp8(v, q, scale):
    z = norm(widen(v["xb"]), widen(v["wb"]))
    expected = np.abs(z).max(-1) / 448
    return near(scale, expected, 10) and rounds_to(q, z / expected[:, None])


def check_fp8_given(v, q):
    return rounds_to(q, norm(v["x"], v["w"]) / F64(v["s"]))


FUNCTIONS = {
    "residual": ([(9, 4096)], ["xb", "rb", "wb"], ["xb", "xb"], check_residual),
    "gate": ([(9, 2880)], ["x", "w", "z"], ["x"], check_gate_after),
    "bias": ([(2, 40000)], ["x", "w", "b"], ["x"], check_bias),
    "gemma": ([(35, 256)], ["xb", "wb"], ["xb"], check_gemma),
    "int8": ([(5, 4096)], ["xb", "wb"], ["q", "scale"], check_int8),
    "fp8": ([(5, 4096)], ["xb", "wb"], ["q", "scale"], check_fp8),
    "fp8_given": ([(9, 1152)], ["x", "w", "s"], ["q"], check_fp8_given),
}
sys.exit(not check_functions(FUNCTIONS, sys.argv[1], sys.argv[2:]))

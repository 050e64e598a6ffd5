"""Runs neighbors.mlir and compares with f64, one line per function and shape.

    neighbors.py PREFIX norm-compile|norm-run PROGRAM ARGS
"""
import sys

from neighbor_bounds import (check_bias, check_functions, check_gate_after, check_gate_before, check_quantize,
                              check_residual)

SHAPES = [(3, 1), (5, 37), (67, 257), (4, 1024), (600, 2100)]
if sys.argv[2] == "norm-run":
    SHAPES = [(3, 1), (67, 257)]  # compiles, and emulates a GPU, for each
FUNCTIONS = {
    "residual_bf16": (SHAPES, ["xb", "rb", "wb"], ["xb", "xb"], check_residual),
    "bias": (SHAPES, ["x", "w", "b"], ["x"], check_bias),
    "gate_after": (SHAPES, ["x", "w", "z"], ["x"], check_gate_after),
    "gate_before": (SHAPES, ["x", "w", "z"], ["x"], check_gate_before),
    "quantize": (SHAPES, ["x", "w"], ["q", "scale"], check_quantize),
}
sys.exit(not check_functions(FUNCTIONS, sys.argv[1], sys.argv[2:]))

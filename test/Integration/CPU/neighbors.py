"""Inputs of neighbors.mlir, and its results against f64.

    neighbors.py write PREFIX                      writes PREFIX.SHAPE.NAME.npy
    neighbors.py check PREFIX RUNNER PROGRAM ARGS  one line a function and shape
"""
import subprocess
import sys

import numpy as np
from neighbor_bounds import (bits_of_bf16, check_bias, check_gate_after, check_gate_before, check_quantize,
                              check_residual)

SHAPES = [(3, 1), (5, 37), (67, 257), (4, 1024), (600, 2100)]
F32 = np.float32

# Arguments, results, check.
FUNCTIONS = {
    "residual_bf16": (["xb", "rb", "wb"], 2, check_residual),
    "bias": (["x", "w", "b"], 1, check_bias),
    "gate_after": (["x", "w", "z"], 1, check_gate_after),
    "gate_before": (["x", "w", "z"], 1, check_gate_before),
    "quantize": (["x", "w"], 2, check_quantize),
}


def name_of(shape):
    return f"{shape[0]}x{shape[1]}"


def write(prefix):
    random = np.random.default_rng(5)
    for shape in SHAPES:
        draw = lambda *s: random.standard_normal(s).astype(F32)
        w = random.uniform(0.5, 1.5, shape[1]).astype(F32)
        values = {"x": draw(*shape), "z": 3 * draw(*shape), "w": w, "b": draw(shape[1]),
                  "xb": bits_of_bf16(draw(*shape)), "rb": bits_of_bf16(draw(*shape)), "wb": bits_of_bf16(w)}
        for key, value in values.items():
            np.save(f"{prefix}.{name_of(shape)}.{key}.npy", value)


def check(prefix, command):
    passed = True
    for function, (arguments, results, verify) in FUNCTIONS.items():
        for shape in SHAPES:
            files = {a: f"{prefix}.{name_of(shape)}.{a}.npy" for a in arguments}
            outputs = [f"{prefix}.out{i}.npy" for i in range(results)]
            subprocess.run(command + [f"--function={function}"] + [f"--input=@{f}" for f in files.values()]
                           + [f"--output=@{f}" for f in outputs], check=True, stdout=subprocess.DEVNULL)
            good = verify({a: np.load(f) for a, f in files.items()},
                          *[np.load(f) for f in outputs])
            print(f"{function} {name_of(shape)}: {'within the bound' if good else 'OVER'}")
            passed &= bool(good)
    return 0 if passed else 1


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    sys.exit(check(sys.argv[2], sys.argv[3:]))

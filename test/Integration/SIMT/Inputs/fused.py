"""Inputs of fused.mlir, and its results against f64.

    fused.py write PREFIX                      writes PREFIX.FUNCTION.NAME.npy
    fused.py check PREFIX RUNNER PROGRAM ARGS  one line a function
"""
import subprocess
import sys

import fp8
import numpy as np
from neighbor_bounds import (UNIT, bits_of_bf16, check_bias, check_gate_after, check_residual, from_bf16, near, rmsnorm)

F32, F64 = np.float32, np.float64


def check_gemma(v, y):
    x, w = from_bf16(v["xb"]), from_bf16(v["wb"]).astype(F64)
    expected = bits_of_bf16(rmsnorm(x, w + 1).astype(F32))
    distance = np.abs(expected.astype(int) - y.astype(int))
    return distance.max() <= 1 and (distance > 0).mean() <= 1e-3


def check_int8(v, q, scale):
    norm = rmsnorm(from_bf16(v["xb"]), from_bf16(v["wb"]))
    expected = np.abs(norm).max(-1) / 127
    steps = norm / expected[:, None]
    return (near(scale, expected, 10) and np.abs(q.astype(int)).max(-1).min() == 127
            and (np.abs(q - steps) <= 0.5 + 127 * 20 * UNIT).all())


def rounds_to(codes, values):
    """Each code is what its value rounds to, or the value is at a tie but for the
    errors before it."""
    slack = np.abs(values) * 20 * UNIT
    bounds = [fp8.round_to(np.clip(values + d, -448, 448).astype(F32), "e4m3") for d in (-slack, slack)]
    actual = codes.view(np.uint8)
    return bool(((actual == bounds[0]) | (actual == bounds[1])).all())


def check_fp8(v, q, scale):
    norm = rmsnorm(from_bf16(v["xb"]), from_bf16(v["wb"]))
    expected = np.abs(norm).max(-1) / 448
    return near(scale, expected, 10) and rounds_to(q, norm / expected[:, None])


def check_fp8_given(v, q):
    return rounds_to(q, rmsnorm(v["x"], v["w"]) / F64(v["s"]))


# Shape, arguments, results, check.
FUNCTIONS = {
    "residual": ((33, 4096), ["xb", "rb", "wb"], 2, check_residual),
    "gate": ((9, 2880), ["x", "w", "z"], 1, check_gate_after),
    "bias": ((3, 40000), ["x", "w", "b"], 1, check_bias),
    "gemma": ((67, 256), ["xb", "wb"], 1, check_gemma),
    "int8": ((17, 4096), ["xb", "wb"], 2, check_int8),
    "fp8": ((17, 4096), ["xb", "wb"], 2, check_fp8),
    "fp8_given": ((17, 1152), ["x", "w", "s"], 1, check_fp8_given),
}


def write(prefix):
    random = np.random.default_rng(7)
    for function, (shape, arguments, _, _) in FUNCTIONS.items():
        draw = lambda *s: random.standard_normal(s).astype(F32)
        w = random.uniform(0.5, 1.5, shape[1]).astype(F32)
        values = {"x": draw(*shape), "z": 3 * draw(*shape), "w": w, "b": draw(shape[1]),
                  "xb": bits_of_bf16(draw(*shape)), "rb": bits_of_bf16(draw(*shape)),
                  "wb": bits_of_bf16(w), "s": np.array(0.0071, F32)}
        for key in arguments:
            np.save(f"{prefix}.{function}.{key}.npy", values[key])


def check(prefix, command):
    passed = True
    for function, (_, arguments, results, verify) in FUNCTIONS.items():
        files = {a: f"{prefix}.{function}.{a}.npy" for a in arguments}
        outputs = [f"{prefix}.out{i}.npy" for i in range(results)]
        subprocess.run(command + [f"--function={function}"] + [f"--input=@{f}" for f in files.values()]
                       + [f"--output=@{f}" for f in outputs], check=True, stdout=subprocess.DEVNULL)
        good = verify({a: np.load(f) for a, f in files.items()}, *[np.load(f) for f in outputs])
        print(f"{function}: {'within the bound' if good else 'OVER'}")
        passed &= bool(good)
    return 0 if passed else 1


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    sys.exit(check(sys.argv[2], sys.argv[3:]))

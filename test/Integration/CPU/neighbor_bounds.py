"""Results of norms with their neighbors against f64, for tests that run them.

Bounds follow from the roundings of each program, in units of half an ulp.
"""
import re

import numpy as np
from normtest import UNIT, compile_shared, narrow, norm, run, run_compiled, widen

F32, F64 = np.float32, np.float64
HALF = UNIT["f32"]


def silu(z):
    z = z.astype(F64)
    return z / (1 + np.exp(-z))


def near(actual, expected, halves):
    return bool((np.abs(actual - expected) <= halves * HALF * np.abs(expected) + 1e-44).all())


def check_residual(v, h, y):
    exact = narrow(widen(v["xb"]) + widen(v["rb"]))
    one = widen(narrow(norm(widen(exact), np.ones(1)).astype(F32)))
    expected = narrow(one * widen(v["wb"]))
    # The statistic's last bit may flip a rounding: a neighbor, and rarely.
    distance = np.abs(expected.astype(int) - y.astype(int))
    return (h == exact).all() and distance.max() <= 2 and (distance > 0).mean() <= 1e-3


def check_bias(v, y):
    # The bias rounds once more, and errors of the norm are not its ulp.
    z = norm(v["x"], v["w"])
    bound = (8 * np.abs(z) + np.abs(z + v["b"])) * HALF
    return (np.abs(y - (z + v["b"])) <= bound).all()


def check_gate_after(v, y):
    return near(y, norm(v["x"], v["w"]) * silu(v["z"]), 16)


def check_gate_before(v, y):
    return near(y, norm(v["x"].astype(F64) * silu(v["z"]), v["w"]), 24)


def check_quantize(v, q, scale):
    return check_int8(norm(v["x"], v["w"]), q, scale)


def check_int8(z, q, scale):
    expected = np.abs(z).max(-1) / 127
    steps = z / expected[:, None]
    return (near(scale, expected, 10) and np.abs(q.astype(int)).max(-1).min() == 127
            and (np.abs(q - steps) <= 0.5 + 127 * 20 * HALF).all())


def cut(program, function, prefix):
    """A program of one function, so that the others are not compiled for each run."""
    with open(program) as file:
        text = file.read()
    with open(f"{prefix}.{function}.mlir", "w") as file:
        file.write("".join(re.findall(r"^#.*\n", text, re.M))
                   + re.search(rf"^func\.func @{function}\(.*?^}}", text, re.M | re.S)[0])
    return file.name


def check_functions(functions, prefix, command):
    """Runs {function: (shapes, arguments, results, check)}; whether all are within their bounds.
    Arguments and what results are like are names of values; a command without norm-run compiles once."""
    library = None if command[0] == "norm-run" else compile_shared(command[1], f"{prefix}.so", *command[2:])
    passed, random = True, np.random.default_rng(5)
    for function, (shapes, arguments, results, verify) in functions.items():
        for shape in shapes:
            draw = lambda *s: random.standard_normal(s).astype(F32)
            w = random.uniform(0.5, 1.5, shape[1]).astype(F32)
            values = {"x": draw(*shape), "z": 3 * draw(*shape), "w": w, "b": draw(shape[1]), "xb": narrow(draw(*shape)),
                      "rb": narrow(draw(*shape)), "wb": narrow(w), "s": np.array(0.0071, F32),
                      "q": np.zeros(shape, np.int8), "scale": np.zeros(shape[0], F32)}
            inputs, like = ([values[name] for name in names] for names in (arguments, results))
            outputs = (run_compiled(library, function, inputs, like) if library else
                       run(["norm-run", cut(command[1], function, prefix), f"--function={function}", *command[2:]],
                           prefix, inputs, len(like)))
            good = bool(verify(values, *outputs))
            print(f"{function} {shape[0]}x{shape[1]}: {'within the bound' if good else 'OVER'}")
            passed &= good
    return passed

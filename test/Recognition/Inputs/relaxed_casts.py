"""A norm with random casts at each of its steps, in the modes default and relaxed.

    relaxed_casts.py DIRECTORY SEED PROGRAMS

default finds a program without casts in the statistic, relaxed finds each, with the
casts of r and z as attributes; every fourth is run and compared with f64.
"""
import random
import subprocess
import sys

import numpy as np
from normtest import get_errors, run, store, widen

STATISTIC = ["x", "square", "sum", "mean", "epsilon", "root"]
PROGRAM = """#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<4x16xf32>, %w: tensor<16xf32>) -> tensor<4x16xf32> {{
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<4x16xf32>) outs(%init : tensor<4xf32>) {{
  ^bb0(%in: f32, %acc: f32):
{terms}  }} -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x16xf32>
  %y = linalg.generic {{indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %s, %w : tensor<4x16xf32>, tensor<4xf32>, tensor<16xf32>) outs(%e2 : tensor<4x16xf32>) {{
  ^bb0(%in: f32, %sum: f32, %g: f32, %out: f32):
{body}  }} -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}}
"""


class Writer:
    def __init__(self, casts):
        self.casts, self.lines = casts, ""

    def step(self, name, text, value):
        """`text` computes `value`; what follows reads it through its cast."""
        if text:
            self.lines += f"    {value} = {text} : f32\n"
        if type := self.casts[name]:
            self.lines += f"    {value}.n = arith.truncf {value} : f32 to {type}\n"
            self.lines += f"    {value}.w = arith.extf {value}.n : {type} to f32\n"
            return value + ".w"
        return value


def write(casts):
    terms = Writer(casts)
    x = terms.step("x", "", "%in")
    square = terms.step("square", f"arith.mulf {x}, {x}", "%square")
    terms.lines += f"    %next = arith.addf {square}, %acc : f32\n    linalg.yield %next : f32\n"
    body = Writer(casts)
    total = body.step("sum", "", "%sum")
    mean = body.step("mean", f"arith.divf {total}, %n", "%mean")
    m = body.step("epsilon", f"arith.addf {mean}, %eps", "%m")
    root = body.step("root", f"math.sqrt {m}", "%root")
    body.lines += "    %one = arith.constant 1.0 : f32\n"
    r = body.step("r", f"arith.divf %one, {root}", "%r")
    z = body.step("z", f"arith.mulf %in, {r}", "%z")
    body.lines += f"    %v = arith.mulf {z}, %g : f32\n    linalg.yield %v : f32\n"
    return PROGRAM.format(terms=terms.lines, body=body.lines)


def rounded(v, type):
    if not type:
        return v
    return widen(store(v.astype(np.float32), type)).astype(np.float64)


def recognize(directory, mode):
    subprocess.run(["norm-opt", f"{directory}/program.mlir", f"--norm-recognize=rounding={mode}",
                    "-o", f"{directory}/{mode}.mlir"], check=True)
    with open(f"{directory}/{mode}.mlir") as file:
        text = file.read()
    return next((line for line in text.splitlines() if "norm.rmsnorm" in line and "linalg" not in text), "")


def error(directory, casts, x, w):
    """In ulp; a last bit of r flips few of its roundings, so the worst twentieth is left out."""
    y = run(["norm-run", f"{directory}/relaxed.mlir", "--function=f"], f"{directory}/run", (x, w))[0]
    wide = x.astype(np.float64)
    r = 1 / np.sqrt((wide**2).mean(-1, keepdims=True) + np.float64(np.float32(1e-3)))
    expected = rounded(rounded(r, casts["r"]) * wide, casts["z"]) * w
    return np.percentile(get_errors(y, expected, "f32"), 95)


directory, seed, programs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
numbers = np.random.default_rng(seed)
x, w = (numbers.standard_normal(shape).astype(np.float32) for shape in ((4, 16), 16))
wrong = 0
for i in range(programs):
    casts = {step: random.choice([None, None, None, "f16", "bf16"]) for step in STATISTIC + ["r", "z"]}
    with open(f"{directory}/program.mlir", "w") as file:
        file.write(write(casts))
    default, relaxed = recognize(directory, "default"), recognize(directory, "relaxed")
    attributes = {"r": "scale_type", "z": "normalized_type"}
    good = bool(default) == (not any(casts[step] for step in STATISTIC))
    good &= bool(relaxed) and "compute_type" not in relaxed
    good &= all((f"{attributes[step]} = {casts[step]} " in relaxed) == bool(casts[step]) for step in "rz")
    if i % 4 == 0:
        good &= error(directory, casts, x, w) <= 4
    if not good:
        wrong += 1
        print("wrong:", {step: type for step, type in casts.items() if type}, relaxed)
print(f"{programs} programs, {wrong} wrong")

"""Runs reductions of rows of integers and compares bit for bit.

    byte_sums.py PREFIX OPTIONS...

x86 has instructions for sums of products and of differences of bytes, which LLVM finds in what
stands for them. Each row is also reduced by the other combiners. OPTIONS are norm-compile's.
"""
import sys

import numpy as np
from normtest import compile_shared, run_compiled

prefix, options = sys.argv[1], sys.argv[2:]
numbers = np.random.default_rng(5)
ROWS = 9
LENGTHS = (1, 2, 7, 8, 15, 16, 17, 32, 48, 64, 100, 128, 1000)
WIDENING = {"i8": "extsi", "u8": "extui", "i1": "extui", "i16": "extsi"}
NUMPY = {"i8": np.int8, "u8": np.uint8, "i1": np.uint8, "i16": np.int16}
SUMS = {"addi": np.add, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
        "maxsi": np.maximum, "minsi": np.minimum}
BODIES = {"product": ["    %v = arith.muli %x, %y : i32"],
          "difference": ["    %d = arith.subi %x, %y : i32", "    %n = arith.subi %zero, %d : i32", "    %v = arith.maxsi %d, %n : i32"]}


def write(name, body, combiner, types, length):
    a, b = ("i8" if t == "u8" else t for t in types)
    start = {"addi": 0, "muli": 1, "andi": -1, "ori": 0, "xori": 0, "maxsi": -2147483648, "minsi": 2147483647}[combiner]
    return "\n".join([
        f"func.func @{name}(%a: tensor<{ROWS}x{length}x{a}>, %b: tensor<{ROWS}x{length}x{b}>) -> tensor<{ROWS}xi32> {{",
        f"  %start = arith.constant {start} : i32", "  %zero = arith.constant 0 : i32", f"  %e = tensor.empty() : tensor<{ROWS}xi32>",
        f"  %f = linalg.fill ins(%start : i32) outs(%e : tensor<{ROWS}xi32>) -> tensor<{ROWS}xi32>",
        "  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],"
        f' iterator_types = ["parallel", "reduction"]}} ins(%a, %b : tensor<{ROWS}x{length}x{a}>, tensor<{ROWS}x{length}x{b}>)'
        f" outs(%f : tensor<{ROWS}xi32>) {{", f"  ^bb0(%p: {a}, %q: {b}, %o: i32):",
        f"    %x = arith.{WIDENING[types[0]]} %p : {a} to i32", f"    %y = arith.{WIDENING[types[1]]} %q : {b} to i32", *BODIES[body],
        f"    %s = arith.{combiner} %v, %o : i32", "    linalg.yield %s : i32", f"  }} -> tensor<{ROWS}xi32>",
        f"  return %r : tensor<{ROWS}xi32>", "}", ""])


def make(length, type_):
    low, high = (0, 2) if type_ == "i1" else (np.iinfo(NUMPY[type_]).min, np.iinfo(NUMPY[type_]).max + 1)
    return numbers.integers(low, high, (ROWS, length)).astype(NUMPY[type_])


def check(library, name, body, combiner, types, length):
    a, b = (make(length, t) for t in types)
    x, y = a.astype(np.int32), b.astype(np.int32)
    expected = SUMS[combiner].reduce(x * y if body == "product" else abs(x - y), axis=1, dtype=np.int32)
    return np.array_equal(run_compiled(library, name, [a, b], [np.empty(ROWS, np.int32)])[0], expected)


cases = [(body, "addi", types, length) for body in BODIES for length in LENGTHS
         for types in (("u8", "i8"), ("i8", "u8"), ("u8", "u8"), ("i8", "i8"), ("i1", "i8"), ("i16", "i16"))]
cases += [("difference", combiner, ("u8", "u8"), length) for combiner in SUMS for length in LENGTHS[4:9]]
path = f"{prefix}.mlir"
with open(path, "w") as file:
    file.writelines(write(f"f{i}", *case) for i, case in enumerate(cases))
library = compile_shared(path, f"{prefix}.so", *options)
wrong = [case for i, case in enumerate(cases) if not check(library, f"f{i}", *case)]
for case in wrong:
    print("WRONG:", *case)
print(f"{len(cases)} reductions, {len(wrong)} wrong")

"""Random attributes of norm.rmsnorm: the kernels, in the PTX interpreter, against
what norm-to-cpu computes (which norm-test-combinations checks against f64).
Usage: run_combinations.py WORK SEED COUNT"""
import re
import subprocess
import sys
import numpy as np
import device
import normtest
from normtest import BITS, NUMPY, align, get_errors, store, widen

work, seed, count = sys.argv[1], sys.argv[2], sys.argv[3]


def parse_type(text):
    *extents, kind = text.split("x")
    return [None if e == "?" else int(e) for e in extents], kind


def make(rng, shape, kind, offset):
    return store(rng.standard_normal(shape) + offset, kind)


def dims_of(text, name):
    found = re.search(r"\b%s = \[([^\]]*)\]" % name, text)
    return [int(d) for d in found[1].replace(" ", "").split(",") if d] if found else None


def run(text, index):
    rng = np.random.default_rng(int(seed) * 1000 + index)
    types = re.findall(r"tensor<([^>]*)>", text.split("{", 1)[0])
    x_shape, x_kind = parse_type(types[0])
    least = re.search(r"count = (\d+)", text)
    least = int(least[1]) if least else 3
    # Two million elements take the interpreter minutes.
    most = 37 if len(x_shape) < 4 else 13
    x_shape = [least + int(rng.integers(0, most)) if e is None else e for e in x_shape]
    has_weight = "%w" in text.split("->")[0]
    arrays = [make(rng, x_shape, x_kind, 0)]
    if has_weight:
        dims = dims_of(text, "weight_dims")
        dims = dims_of(text, "dims") if dims is None else dims
        shape, kind = parse_type(types[1])
        arrays.append(make(rng, [x_shape[d] for d in dims], kind, 1))
    results = [parse_type(t) for t in types[1 + has_weight:]]
    batch = [n for d, n in enumerate(x_shape) if d not in dims_of(text, "dims")]
    shapes = [x_shape, batch][:len(results)]

    path = "%s/c%d.mlir" % (work, index)
    with open(path, "w") as file:
        file.write(text)
    name = re.search(r"@(\w+)", text)[1]
    references = normtest.run(["norm-run", path, "--function=" + name], path, arrays, len(results))
    buffers = [align(array)[0] for array in arrays]
    buffers += [align(np.zeros(shape, NUMPY[kind]))[0] for shape, (_, kind) in zip(shapes, results)]
    program = device.Program(device.build(path, path))
    try:
        program.call(name, buffers)
    except RuntimeError as error:
        print("f%d: %s, seed %s\n%s" % (index, error, seed, text))
        return False, 0

    # The orders of the two sums differ, so the statistic may by a few ulp of C,
    # and a 16-bit rounding of it by one unit; two roundings in a row by two.
    compute = re.search(r"compute_type = (\w+)", text)
    compute = compute[1] if compute else ("f32" if x_kind in ("f16", "bf16") else x_kind)
    narrow = [k for k in re.findall(r"(?:normalized_type|scale_type) = (\w+)", text)]
    worst = 0.0
    for i, (_, kind) in enumerate(results):
        expected = widen(references[i]).astype(np.float64).reshape(shapes[i])
        actual = widen(buffers[len(arrays) + i])
        coarse = min([kind, compute] + narrow, key=BITS.get)
        worst = max(worst, float(get_errors(actual, expected, coarse).max(initial=0.0)))
    limit = 8 if min(BITS[k] for k in [compute] + narrow) > BITS["f16"] else 2
    if not worst <= limit:
        print("f%d: %.2f ulp apart, seed %s\n%s" % (index, worst, seed, text))
    return worst <= limit, len(program.launches)


source = subprocess.run(["norm-test-combinations", "print", "random", seed, count], check=True,
                        capture_output=True, text=True).stdout
functions = re.findall(r"func\.func @f\d+.*?\n}\n", source, re.S)
outcomes = [run(text, i) for i, text in enumerate(functions)]
good = sum(ok for ok, _ in outcomes)
print("%d of %d agree, %d kernels ran" % (good, len(outcomes), sum(n for _, n in outcomes)))
sys.exit(0 if good == len(outcomes) else 1)

"""Every shape of three extents of 0, 1 and 3, static and dynamic, normalized over each
of several dims, with the second result: nothing is written where nothing is, the root
of a mean of nothing is NaN, and the rest is that of f64.

    empty.py WORK OPTIONS        a shared object, empty buffers are null pointers
    empty.py WORK --pipeline=... norm-run, dynamic shapes alone
"""
import itertools
import sys

import numpy as np

import caller
from caller import call
from normtest import describe, make_descriptor, run

WORK, OPTIONS = sys.argv[1], sys.argv[2:]
IS_RUN = any(o.startswith("--pipeline") for o in OPTIONS)
SHAPES = list(itertools.product((0, 1, 3), repeat=3))
DIMS = [(2,), (0,), (1, 2), (0, 1, 2)]
random = np.random.default_rng(6)


def tensor(extents, kind="f32"):
    return "tensor<" + "".join("?x" if e is None else f"{e}x" for e in extents) + kind + ">"


def function(name, dims, shape=(None, None, None)):
    rows = [d for d in range(3) if d not in dims]
    x, r = tensor(shape), tensor([shape[d] for d in rows])
    sizes = lambda ds: ", ".join(f"%d{d}" for d in ds if shape[d] is None)
    text = f"func.func @{name}(%x: {x}) -> ({x}, {r}) {{\n"
    for d in range(3):
        text += f"  %c{d} = arith.constant {d} : index\n  %d{d} = tensor.dim %x, %c{d} : {x}\n"
    return text + f"""  %i = tensor.empty({sizes(range(3))}) : {x}
  %j = tensor.empty({sizes(rows)}) : {r}
  %y, %r = norm.rmsnorm ins(%x : {x}) outs(%i, %j : {x}, {r}) dims = [{", ".join(map(str, dims))}] epsilon = 1.0e-6 : f32 -> {x}, {r}
  return %y, %r : {x}, {r}
}}
"""


def program():
    text = "".join(function("any_" + "".join(map(str, dims)), dims) for dims in DIMS)
    text += "".join(function(f"is_{a}{b}{c}_" + "".join(map(str, dims)), dims, (a, b, c))
                    for (a, b, c), dims in itertools.product(SHAPES, DIMS) if 0 in (a, b, c) or a == b == c == 1)
    with open(WORK + "/empty.mlir", "w") as file:
        file.write(text)
    return WORK + "/empty.mlir"


def is_right(x, dims, y, r):
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        count = int(np.prod([x.shape[d] for d in dims]))
        inverse = 1 / np.sqrt((wide**2).sum(dims) / np.float64(count) + 1e-6)
        expected = wide * np.expand_dims(inverse, dims)
    return np.allclose(y, expected, rtol=1e-6, atol=0, equal_nan=True) and np.allclose(r, inverse, rtol=1e-6, atol=0, equal_nan=True)


def guarded(shape):
    """Zeros between sevens; a buffer of no elements has no address."""
    size = int(np.prod(shape))
    around = np.full(size + 64, 7, np.float32)
    inside = around[32:32 + size].reshape(shape)
    inside[...] = 0
    strides = [int(np.prod(shape[i + 1:])) for i in range(len(shape))]
    return around, inside, describe(inside) if size else make_descriptor(0, shape, strides)


def run_shared(library, name, x, dims):
    y = guarded(x.shape)
    r = guarded([x.shape[d] for d in range(3) if d not in dims])
    source = x if x.size else make_descriptor(0, x.shape, (1, 1, 1))
    call(library, name, source, y[2], r[2])
    untouched = all((np.delete(a, range(32, 32 + i.size)) == 7).all() for a, i, _ in (y, r))
    return untouched and is_right(x, dims, y[1], r[1])


def run_program(name, x, dims):
    file = WORK + "/one.mlir"
    with open(file, "w") as f:
        f.write(function(name, dims))
    return is_right(x, dims, *run(["norm-run", file, *OPTIONS, f"--function={name}"], f"{WORK}/one", [x], 2))


library = None if IS_RUN else caller.compile_shared(program(), WORK + "/empty.so", *OPTIONS)
good = total = 0
for shape, dims in itertools.product(SHAPES, DIMS):
    name = "".join(map(str, dims))
    x = random.standard_normal(shape).astype(np.float32)
    if IS_RUN and shape not in ((0, 3, 3), (3, 3, 0), (0, 0, 0), (1, 1, 1)):
        continue
    names = [f"any_{name}"]
    if not IS_RUN and (0 in shape or shape == (1, 1, 1)):
        names.append("is_" + "".join(map(str, shape)) + "_" + name)
    for n in names:
        holds = run_program(n, x, dims) if IS_RUN else run_shared(library, n, x, dims)
        if not holds:
            print(f"{n} {shape} is wrong")
        good += bool(holds)
        total += 1
print(f"{good} of {total} right")
sys.exit(int(good != total))

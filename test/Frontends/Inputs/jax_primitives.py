"""Each primitive that norm_mlir.jax writes as linalg, beside jax, over types and values."""
import importlib.util
import math
import subprocess

import jax
import jax.numpy as jnp
import numpy as np

import norm_mlir
import norm_mlir.jax
from norm_mlir import _writer

jax.config.update("jax_enable_x64", True)
lax = jax.lax

# In units of the last place; all else is exact. XLA contracts products and sums (remat), and its
# exp2 of bfloat16 rounds in between.
ULP = {"exp": 2, "exp2": 16, "log": 2, "log1p": 16, "expm1": 4, "tanh": 6, "logistic": 4, "erf": 4,
       "sin": 2, "cos": 2, "rsqrt": 2, "integer_pow": 2, "reduce_sum": 4, "remat": 1}


def compare(actual, expected, ulp, what):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, what
    if not jnp.issubdtype(actual.dtype, jnp.floating):
        assert (actual == expected).all(), (what, actual, expected)
        return
    a, b = actual.astype(float), expected.astype(float)
    special = ~np.isfinite(b)
    assert ((a == b) | np.isnan(a) & np.isnan(b))[special].all(), (what, a, b)
    info = jnp.finfo(actual.dtype)
    step = np.maximum(abs(b[~special]), float(info.tiny)) * float(info.eps)
    error = (abs(a[~special] - b[~special]) / step).max(initial=0)
    assert error <= ulp, (what, error)


def check(functions, *arguments):
    """Compares functions, which are compiled as one program."""
    program = norm_mlir.jax.lower(lambda *given: [f(*given) for f in functions.values()],
                                  *arguments)
    results = norm_mlir.compile(program)(*map(np.asarray, arguments))
    results = results if isinstance(results, tuple) else (results,)
    for (name, f), actual in zip(functions.items(), results):
        compare(actual, jax.jit(f)(*arguments), ULP.get(name.split(",")[0], 0),
                (name, arguments[0].dtype))
    return len(functions)


unary = {name: getattr(lax, name) for name in (
    "abs ceil cos erf exp exp2 expm1 floor log log1p logistic neg rsqrt sin sqrt square tanh"
).split()}
unary |= {f"integer_pow, {y}": lambda x, y=y: lax.integer_pow(x, y) for y in (-3, -1, 0, 1, 3, 5)}
binary = {name: getattr(lax, name) for name in "add div eq ge gt le lt max min mul ne sub".split()}
binary["select_n"] = lambda x, y: jnp.where(x > y, x, y)
binary["literal"] = lambda x, y: jnp.where(x > 0, x * 2 + 0.1, -math.inf)

reductions = {name: getattr(jnp, name.removeprefix("reduce_")) for name in (
    "reduce_max", "reduce_min", "reduce_sum")}
shapes = {f"{name}, {axis}": lambda x, f=f, axis=axis: f(x, axis)
          for name, f in reductions.items() for axis in (0, (1, 2), -1, None)}
shapes |= {f"reshape, {shape}": lambda x, shape=shape: x.reshape(shape) for shape in (
    (24,), (6, 4), (2, 12), (1, 2, 3, 1, 4, 1), (4, 6), (2, 3, 2, 2), (8, 3), (24, 1))}
shapes |= {
    "transpose": lambda x: x.transpose(2, 0, 1),
    "expand_dims": lambda x: x[:, None, :, :, None],
    "squeeze": lambda x: x[:, None].squeeze(1),
    "broadcast_in_dim": lambda x: jnp.broadcast_to(x, (5, 2, 3, 4)),
    "broadcast_in_dim, 1": lambda x: jnp.broadcast_to(x.sum(1, keepdims=True), (2, 3, 4)),
    "scalar": lambda x: jnp.full((2, 2), x.max()) + x.max(),
    "custom_jvp": lambda x: jax.nn.relu(x),
    "remat": lambda x: jax.checkpoint(lambda y: y * y + 1)(x),
    "custom_vjp": lambda x: same(x) + 1}

same = jax.custom_vjp(lambda x: x * 1)
same.defvjp(lambda x: (x, None), lambda _, dy: (dy,))

values = np.array([0, -0.0, 1, -1, 0.5, 3, -7.25, 40, math.inf, -math.inf, math.nan, 1e-3])
random = np.random.default_rng(11)
count = 0
for dtype in (jnp.float64, jnp.float32, jnp.bfloat16, jnp.float16):
    x = jnp.asarray(np.concatenate([values, random.standard_normal(20)]), dtype)
    count += check(unary, x)
    count += check(binary, *(jnp.asarray(a.ravel(), dtype) for a in np.meshgrid(values, values)))
    count += check(shapes, jnp.asarray(random.standard_normal((2, 3, 4)), dtype))
    targets = {f"to {t.__name__}": lambda x, t=t: x.astype(t) for t in (
        jnp.float64, jnp.float32, jnp.bfloat16, jnp.float16)}
    count += check(targets, x)
for dtype in (jnp.int64, jnp.int32, jnp.int16, jnp.int8):
    x, y = (jnp.asarray(random.integers(-100, 100, (3, 4)), dtype) for _ in range(2))
    kinds = {name: f for name, f in binary.items() if name not in ("div", "literal")}
    count += check(kinds | {"abs": lambda x, y: abs(x), "and": lax.bitwise_and,
                            "to float": lambda x, y: x.astype(jnp.float32),
                            "and, bool": lambda x, y: (x > 0) & (y > 0),
                            "bool to float": lambda x, y: (x > 0).astype(jnp.bfloat16),
                            "sum": lambda x, y: x.sum(0, dtype=x.dtype)}, x, y)
print(count, "functions, each as jax has it")

# Groups of a reshape: equal products, in order, without extents of 1.
sizes = [s for n in range(4) for s in np.ndindex(*(3,) * n)]
shapes_tried = [tuple(2 ** e for e in s) for s in sizes if s]
tried = 0
for source in shapes_tried:
    for target in shapes_tried:
        if math.prod(source) == math.prod(target):
            groups = _writer.find_groups(source, target)
            for shape, lists in ((source, [a for a, _ in groups]), (target, [b for _, b in groups])):
                assert sum(lists, []) == [d for d, e in enumerate(shape) if e != 1]
            for a, b in groups:
                assert a and b and math.prod(source[d] for d in a) == math.prod(
                    target[d] for d in b), (source, target, groups)
            tried += 1
print(tried, "reshapes")

# An array that the function holds is an argument behind the others; what is unused stays one.
held = jnp.arange(4.0)
text = norm_mlir.jax.lower(lambda x, unused: x + held, x[0].astype(jnp.float64), jnp.ones(3))
print(*map(str, norm_mlir.compile(text).arguments))

# An op is written once.
x = jnp.ones((2, 8), jnp.float32)
text = norm_mlir.jax.lower(lambda a, b: a * b + a * b - b * a, x, x)
print(text.count("arith.mulf"), "products of two orders")

# What is not written needs torch-mlir, and says so.
print(norm_mlir.compile(norm_mlir.jax.lower(lambda x: jnp.cumsum(x, 1), x))(np.asarray(x))[0, -1])
# What checkpoint computes again stands behind a barrier.
norm = jax.checkpoint(lambda x: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6))
gradient = jax.grad(lambda x: jnp.sum(jnp.cumsum(norm(x), 1)))
y = jnp.asarray(random.standard_normal((2, 8)), jnp.float32)
result = norm_mlir.compile(norm_mlir.jax.lower(gradient, y))(np.asarray(y))
print("checkpoint:", np.allclose(result, gradient(y), atol=1e-5))
def reject(function):
    try:
        norm_mlir.jax.lower(function, x)
    except norm_mlir.NormError as error:
        print(error)


reject(jnp.sort)
run = subprocess.run
subprocess.run = lambda command, **rest: run([command[0], "-c", "raise ImportError"], **rest)
reject(jnp.sort)
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "torch_mlir" else find(name)
for function in (lambda x: jnp.cumsum(x, 1), lambda x: x.astype(int), lambda x: x.astype(complex)):
    reject(function)

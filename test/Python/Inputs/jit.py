"""Compiled functions inside of jax.jit: called by XLA on its own buffers."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from programs import DYNAMIC, elementwise

import norm_mlir
from norm_mlir import _core
from norm_mlir.jax import TARGET, wrap

jax.config.update("jax_enable_x64", True)

# A program that returns the address of its argument.
ADDRESS = """
func.func @main(%x: tensor<4xf32>) -> tensor<1xi64> {
  %buffer = bufferization.to_buffer %x read_only : tensor<4xf32> to memref<4xf32>
  %index = memref.extract_aligned_pointer_as_index %buffer : memref<4xf32> -> index
  %address = arith.index_cast %index : index to i64
  %result = tensor.from_elements %address : tensor<1xi64>
  return %result : tensor<1xi64>
}
"""
ASSERTS = """
func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<4xi1>
  cf.assert %first, "the first must be true"
  return %x : tensor<4xi1>
}
"""
v = jnp.arange(4, dtype=jnp.float32) + 1
address = jax.jit(wrap(norm_mlir.compile(ADDRESS)))
assert address(v)[0] == v.unsafe_buffer_pointer()
print("zero copies: XLA's buffer is the argument")


def bits(array):
    return np.asarray(array).tobytes()


# The bits are those of a call from Python, at each shape, also after other ops.
compiled = norm_mlir.compile(DYNAMIC)
norm = wrap(compiled, like=lambda x, w: x)
for rows in (1, 5, 64):
    x = jax.random.normal(jax.random.key(rows), (rows, 8), jnp.float32)
    w = jax.random.uniform(jax.random.key(1), (8,), jnp.float32)
    assert bits(jax.jit(norm)(x, w)) == bits(compiled(x, w))
    twice = jax.jit(lambda x, w: norm(norm(x, w).T.reshape(rows, 8), w))(x, w)
    again = np.ascontiguousarray(compiled(x, w).T).reshape(rows, 8)
    assert bits(twice) == bits(compiled(again, w))
assert norm(x[:0], w).shape == (0, 8)
print("jit: the bits of other calls")

for element, dtype in [("f64", "float64"), ("f16", "float16"), ("bf16", "bfloat16"),
                       ("i64", "int64"), ("i32", "int32"), ("i16", "int16"), ("i8", "int8")]:
    op = "arith.addi" if element.startswith("i") else "arith.addf"
    add = wrap(norm_mlir.compile(elementwise(f"tensor<4x{element}>", op)))
    y = jax.jit(add)(v.astype(dtype), v.astype(dtype))
    assert y.dtype == dtype and jnp.array_equal(y, 2 * v.astype(dtype))
both = wrap(norm_mlir.compile(elementwise("tensor<4xi1>", "arith.andi")))
assert jnp.array_equal(jax.jit(both)(v > 1, v < 4), (v > 1) & (v < 4))
print("types: f64, f16, bf16, i64, i32, i16, i8, i1")

parallel = wrap(norm_mlir.compile(DYNAMIC, threads=2), like=lambda x, w: x)
large = jnp.tile(x, (20000, 1))
assert bits(jax.jit(parallel)(large, w)) == bits(compiled(large, w))
print("threads: OpenMP below XLA")


def count(function, *arguments):
    text = str(jax.make_jaxpr(function)(*arguments))
    return f"{text.count('ffi_call[')} call, {text.count('scan[')} loop"


# A batch is more rows of one call where the caller says so, and otherwise a loop.
xs, ws = jnp.stack([x, 2 * x, 3 * x]), jnp.stack([w, w + 1, w + 2])
expected = np.stack([compiled(each, w) for each in xs])
by_rows = wrap(compiled, like=lambda x, w: x, rows=(0,))
for title, function in (("rows", by_rows), ("no rows", norm)):
    batched = jax.vmap(function, (0, None))
    assert bits(jax.jit(batched)(xs, w)) == bits(expected)
    print(f"vmap, {title}: {count(batched, xs, w)}")
middle = jax.vmap(by_rows, (1, None), 1)
assert jnp.array_equal(middle(jnp.swapaxes(xs, 0, 1), w), np.swapaxes(expected, 0, 1))
nested = jax.vmap(jax.vmap(by_rows, (0, None)), (0, None))
assert bits(nested(xs[None], w)) == bits(expected) and count(nested, xs[None], w)[0] == "1"
assert jax.vmap(by_rows, (0, None))(xs[:, :0], w).shape == (3, 0, 8)
weights = jax.vmap(by_rows, (None, 0))
assert bits(weights(x, ws)) == bits(np.stack([compiled(x, each) for each in ws]))
print(f"vmap over weights: {count(weights, x, ws)}")


def reject(call):
    try:
        jax.block_until_ready(call())
    except (jax.errors.JaxRuntimeError, ValueError, TypeError) as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    else:
        print("not rejected")


def custom_call(*arguments, shapes=jax.ShapeDtypeStruct((4,), jnp.float32), **attributes):
    return jax.ffi.ffi_call(TARGET, shapes)(*arguments, **attributes)


# What does not fit is found when the function is traced, and again when the program is called.
fixed_function = norm_mlir.compile(elementwise("tensor<4xf32>"))
fixed = jax.jit(wrap(fixed_function))
wrong = lambda like: jax.jit(wrap(compiled, like=like))
key, result = _core.publish(fixed_function), jax.ShapeDtypeStruct((4,), jnp.float32)
for function in (functools.partial(jax.eval_shape, fixed),
                 functools.partial(custom_call, function=key)):
    reject(lambda: function(v))
    reject(lambda: function(v, v.astype(jnp.bfloat16)))
    reject(lambda: function(v, v.astype(jnp.complex64)))
    reject(lambda: function(v, v.astype(jnp.int4)))
    reject(lambda: function(v, v[:3]))
    reject(lambda: function(v, v[None]))
    reject(lambda: function(v, v.reshape((1,) * 8 + (4,))))
reject(lambda: custom_call(v, v, shapes=(result, result), function=key))
reject(lambda: custom_call(v, v, shapes=jax.ShapeDtypeStruct((3,), jnp.float32), function=key))
reject(lambda: wrong(lambda x, w: x)(x, w[:7]))
reject(lambda: wrong(lambda x, w: w)(x, w))
reject(lambda: wrong(lambda x, w: x[1:])(x, w))
reject(lambda: wrong(lambda x, w: (x, x))(x, w))
reject(lambda: jax.jit(wrap(norm_mlir.compile(ASSERTS)))(v > 2))
reject(lambda: custom_call(v, v))
reject(lambda: custom_call(v, v, function="unknown"))
reject(lambda: wrap(compiled))
reject(lambda: wrap(fixed_function, rows=(0,)))
reject(lambda: wrap("text", like=lambda x: x)(v))
reject(lambda: jax.grad(lambda x: norm(x, w).sum())(x))
print("and right:", fixed(v, v)[0])

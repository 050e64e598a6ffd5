"""Floats that numpy has only from ml_dtypes: arguments, results and out, of three libraries."""
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import torch
from programs import convert, elementwise

import norm_mlir
from norm_mlir.jax import wrap

# The distance of half a step from a value decides, and subnormals are among them.
x = np.random.default_rng(1).normal(size=(33, 64)).astype(np.float32)
x[0] = np.ldexp(np.float32(1.25), np.arange(64, dtype=np.int32) // 4 - 12)


def bits(array):
    array = array.view(torch.uint8).numpy() if isinstance(array, torch.Tensor) else np.asarray(array)
    return array.tobytes()


for mlir, name in [("bf16", "bfloat16"), ("f8E4M3FN", "float8_e4m3fn"), ("f8E5M2", "float8_e5m2")]:
    dtype = np.dtype(getattr(ml_dtypes, name))
    expected = x.astype(dtype)
    round, widen = (norm_mlir.compile(convert(*types)) for types in (("f32", mlir), (mlir, "f32")))
    # numpy, with new results and given ones.
    result = round(x)
    assert result.dtype == dtype and bits(result) == bits(expected)
    given = np.zeros(x.shape, dtype)
    assert round(x, out=given) is given and bits(given) == bits(expected)
    assert (widen(expected) == expected.astype(np.float32)).all()
    # torch.
    tensor = round(torch.from_numpy(x))
    assert tensor.dtype == getattr(torch, name) and bits(tensor) == bits(expected)
    given = torch.zeros_like(tensor)
    assert round(x, out=given) is given and bits(given) == bits(expected)
    assert torch.equal(widen(tensor), tensor.float())
    # jax, called and in XLA.
    array = jnp.asarray(x).astype(dtype)
    assert (widen(array) == expected.astype(np.float32)).all()
    assert bits(jax.jit(wrap(round, like=lambda x: x.astype(dtype)))(x)) == bits(expected)
    wide = jax.jit(wrap(widen, like=lambda x: x.astype(jnp.float32)))(array)
    assert (np.asarray(wide) == expected.astype(np.float32)).all()
    try:
        widen(expected.view(np.uint8 if mlir != "bf16" else np.int16))
    except norm_mlir.NormError as error:
        print(error)
    print(f"{mlir}: {round}")

# Without the package, new results of numpy are rejected and given ones are not.
add = norm_mlir.compile(elementwise("tensor<4xbf16>"))
ones, given = np.ones(4, ml_dtypes.bfloat16), np.zeros(4, ml_dtypes.bfloat16)
sys.modules["ml_dtypes"] = None
norm_mlir._arrays._get_dtype.cache_clear()
try:
    add(ones, ones)
except norm_mlir.NormError as error:
    print(error)
assert (add(ones, ones, out=given) == 2).all()

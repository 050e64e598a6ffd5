"""RMSNorm by PyTorch or JAX for accuracy.py, which runs it with another Python.

    accuracy_peer.py list                            names, versions and tolerances as JSON
    accuracy_peer.py NAME TYPE DIRECTORY             each N.x.npy and N.w.npy to N.NAME.npy;
                                                     bf16 as its bits in uint16
    accuracy_peer.py NAME TYPE DIRECTORY gradients   dy.npy, x.npy and w.npy to dx.npy, dw.npy
"""
import glob
import json
import os
import sys

import numpy as np

EPSILON = 1.0e-6


def to_torch(array, type):
    import torch

    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if type == "bf16" else tensor


def from_torch(tensor, type):
    import torch

    return (tensor.contiguous().view(torch.uint16) if type == "bf16" else tensor).numpy()


def torch_norm(x, w, type):
    import torch

    x, w = to_torch(x, type), to_torch(w, type)
    return from_torch(torch.nn.functional.rms_norm(x, (x.shape[1],), w, EPSILON), type)


def torch_gradients(dy, x, w, type):
    import torch

    x, w = (to_torch(a, type).requires_grad_() for a in (x, w))
    y = torch.nn.functional.rms_norm(x, (x.shape[1],), w, EPSILON)
    return [from_torch(d, type) for d in torch.autograd.grad(y, (x, w), to_torch(dy, type))]


def to_jax(array, type):
    import jax

    array = jax.numpy.asarray(array)
    return jax.lax.bitcast_convert_type(array, jax.numpy.bfloat16) if type == "bf16" else array


def from_jax(array, type):
    import jax

    return np.asarray(jax.lax.bitcast_convert_type(array, jax.numpy.uint16) if type == "bf16" else array)


def norm_in_jax(x, w):
    import jax
    import jax.numpy as jnp

    wide = x.astype(jnp.float32)
    mean = jnp.mean(wide * wide, axis=1, keepdims=True)
    return (wide * jax.lax.rsqrt(mean + jnp.float32(EPSILON)) * w.astype(jnp.float32)).astype(x.dtype)


def jax_norm(x, w, type):
    import jax

    return from_jax(jax.jit(norm_in_jax)(to_jax(x, type), to_jax(w, type)), type)


def jax_gradients(dy, x, w, type):
    import jax

    dy, x, w = (to_jax(a, type) for a in (dy, x, w))
    gradients = jax.jit(lambda dy, x, w: jax.vjp(norm_in_jax, x, w)[1](dy))(dy, x, w)
    return [from_jax(d, type) for d in gradients]


def torch_tolerances():
    import torch
    from torch.testing._comparison import default_tolerances

    types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
    return torch.__version__, {name: default_tolerances(type) for name, type in types.items()}


def jax_tolerances():
    import jax
    from jax._src import public_test_util

    table = public_test_util.default_tolerance()
    types = {"f16": np.float16, "bf16": jax.numpy.bfloat16, "f32": np.float32, "f64": np.float64}
    # One number is both the relative and the absolute tolerance.
    return jax.__version__, {name: (float(table[np.dtype(type)]),) * 2 for name, type in types.items()}


NORMS = {"torch": torch_norm, "jax": jax_norm}
GRADIENTS = {"torch": torch_gradients, "jax": jax_gradients}
TOLERANCES = {"torch": torch_tolerances, "jax": jax_tolerances}


def list_peers():
    found = []
    for name, tolerances in TOLERANCES.items():
        try:
            version, table = tolerances()
        except ImportError:
            continue
        found.append({"name": name, "version": version, "tolerances": table})
    return found


def main():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if sys.argv[1:] == ["list"]:
        print(json.dumps(list_peers()))
        return
    name, type, directory = sys.argv[1:4]
    at = lambda array: os.path.join(directory, f"{array}.npy")
    if sys.argv[4:] == ["gradients"]:
        dx, dw = GRADIENTS[name](*(np.load(at(a)) for a in ("dy", "x", "w")), type)
        np.save(at("dx"), dx)
        np.save(at("dw"), dw)
        return
    for x in glob.glob(os.path.join(directory, "*.x.npy")):
        start = x.removesuffix("x.npy")
        np.save(f"{start}{name}.npy", NORMS[name](np.load(x), np.load(f"{start}w.npy"), type))


if __name__ == "__main__":
    main()

"""RMSNorm by PyTorch or JAX for accuracy.py, which runs it with another Python.

    accuracy_peer.py list                            names, versions and tolerances as JSON
    accuracy_peer.py NAME TYPE DIRECTORY             each N.x.npy and N.w.npy to N.NAME.npy;
                                                     bf16 as its bits in uint16
"""
import glob
import json
import os
import sys

import numpy as np

EPSILON = 1.0e-6


def torch_norm(x, w, type):
    import torch

    x, w = torch.from_numpy(x), torch.from_numpy(w)
    if type == "bf16":
        x, w = x.view(torch.bfloat16), w.view(torch.bfloat16)
    y = torch.nn.functional.rms_norm(x, (x.shape[1],), w, EPSILON)
    return (y.view(torch.uint16) if type == "bf16" else y).numpy()


def jax_norm(x, w, type):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def norm(x, w):
        wide = x.astype(jnp.float32)
        mean = jnp.mean(wide * wide, axis=1, keepdims=True)
        return (wide * jax.lax.rsqrt(mean + jnp.float32(EPSILON)) * w.astype(jnp.float32)).astype(x.dtype)

    if type == "bf16":
        x, w = (jax.lax.bitcast_convert_type(jnp.asarray(array), jnp.bfloat16) for array in (x, w))
    y = norm(x, w)
    return np.asarray(jax.lax.bitcast_convert_type(y, jnp.uint16) if type == "bf16" else y)


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
    name, type, directory = sys.argv[1:]
    for x in glob.glob(os.path.join(directory, "*.x.npy")):
        start = x.removesuffix("x.npy")
        np.save(f"{start}{name}.npy", NORMS[name](np.load(x), np.load(f"{start}w.npy"), type))


if __name__ == "__main__":
    main()

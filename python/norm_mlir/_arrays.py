"""New arrays for results, of the library of the first argument."""
import numpy

_torch_types = {}


def empty(like, shape, dtype):
    """A torch tensor where `like` is one, and otherwise a numpy array."""
    if not isinstance(like, numpy.ndarray) and type(like).__module__.startswith("torch"):
        return _empty_tensor(shape, dtype)
    if dtype == "bfloat16":
        try:
            from ml_dtypes import bfloat16 as dtype
        except ImportError:
            from ._core import NormError

            raise NormError("numpy has bfloat16 only from the package ml_dtypes: install it, "
                            "or pass a buffer as out=") from None
    return numpy.empty(shape, dtype)


def _empty_tensor(shape, dtype):
    found = _torch_types.get(dtype)
    if found is None:
        import torch

        found = _torch_types[dtype] = torch.empty, getattr(torch, dtype)
    create, tensor_type = found
    return create(shape, dtype=tensor_type)

"""New arrays for results, of the library of the first argument."""
import numpy


def empty(like, shape, dtype):
    """A torch tensor where `like` is one, and otherwise a numpy array."""
    if type(like).__module__.partition(".")[0] == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype))
    if dtype == "bfloat16":
        try:
            from ml_dtypes import bfloat16 as dtype
        except ImportError:
            from ._core import NormError

            raise NormError("numpy has bfloat16 only from the package ml_dtypes: install it, "
                            "or pass a buffer as out=") from None
    return numpy.empty(shape, dtype)

"""New arrays for results, of the library of the first argument."""
import functools
import math
import sys

import numpy

LINE = 64
# From here on, results may stream past the caches, in whole lines.
LARGE = 1 << 20


def empty(like, shape, dtype):
    """A torch tensor where `like` is one, and otherwise a numpy array."""
    kind = type(like)
    if kind is not numpy.ndarray and (kind.__module__.startswith("torch") or _is_tensor(like)):
        return _empty_tensor(shape, dtype)
    found = numpy.empty(shape, _get_dtype(dtype))
    return found if found.nbytes < LARGE or found.ctypes.data % LINE == 0 else _empty_aligned(found)


@functools.cache
def _get_dtype(name):
    if not name.startswith(("bfloat", "float8")):
        return numpy.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        from ._core import NormError

        raise NormError(f"numpy has {name} only from the package ml_dtypes: install it, "
                        "or pass a buffer as out=") from None
    return numpy.dtype(getattr(ml_dtypes, name))


def _is_tensor(value):
    """Whether it is of a class of others that derives from torch's."""
    return "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor)


def _empty_aligned(array):
    """An array like `array` at a cache line: numpy's begin 16 bytes behind one."""
    memory = numpy.empty(array.nbytes + LINE, numpy.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)


def _empty_tensor(shape, dtype):
    strides, tensor_type, create = _get_layout(shape, dtype)
    return create(shape, strides, dtype=tensor_type)


@functools.lru_cache(1024)
def _get_layout(shape, dtype):
    import torch

    strides = tuple(math.prod(max(e, 1) for e in shape[d + 1:]) for d in range(len(shape)))
    # With strides torch takes two thirds of the time: 1.0 us instead of 1.5.
    return strides, getattr(torch, dtype), torch.empty_strided

"""New arrays for results, of the library of the first argument."""
import numpy

LINE = 64
# From here on, results may stream past the caches, in whole lines.
LARGE = 1 << 20

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
    found = numpy.empty(shape, dtype)
    return found if found.nbytes < LARGE or found.ctypes.data % LINE == 0 else _empty_aligned(found)


def _empty_aligned(array):
    """An array like `array` at a cache line: numpy's begin 16 bytes behind one."""
    memory = numpy.empty(array.nbytes + LINE, numpy.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)


def _empty_tensor(shape, dtype):
    found = _torch_types.get(dtype)
    if found is None:
        import torch

        found = _torch_types[dtype] = torch.empty, getattr(torch, dtype)
    create, tensor_type = found
    return create(shape, dtype=tensor_type)

"""Loads artifacts of `norm-compile --target=nvvm --emit=shared` by ctypes, on the
driver of fake_cuda.c or on a real one."""
import ctypes
import numpy as np

P, I = ctypes.c_void_p, ctypes.c_int64


class Device:
    """The driver as a user's program sees it."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        assert self.cuda.cuInit(0) == 0
        self.context = self.create_context()

    def create_context(self):
        context = P()
        assert self.cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
        return context

    def upload(self, array, shift=0):
        """The address of a copy, `shift` bytes after an aligned one."""
        address = P()
        assert self.cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 1) + shift)) == 0
        where = P(address.value + shift)
        assert self.cuda.cuMemcpyHtoD_v2(where, P(array.ctypes.data), ctypes.c_size_t(array.nbytes)) == 0
        return where

    def download(self, address, like):
        result = np.empty_like(like)
        assert self.cuda.cuMemcpyDtoH_v2(P(result.ctypes.data), address, ctypes.c_size_t(result.nbytes)) == 0
        return result

    def create_stream(self):
        stream = P()
        assert self.cuda.cuStreamCreate(ctypes.byref(stream), 0) == 0
        return stream


class Artifact:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.norm_gpu_message.restype = ctypes.c_char_p

    def launch(self, name, *arguments):
        """Code and message of f_launch; integers are extents."""
        code = self.library[name + "_launch"](*(I(a) if isinstance(a, int) else a for a in arguments))
        assert code == self.library.norm_gpu_error()
        return code, self.library.norm_gpu_message().decode()

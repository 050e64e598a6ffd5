"""Memref descriptors of numpy arrays, for functions of --emit=shared."""
import ctypes


class Descriptor(ctypes.Structure):
    """A memref of rank two at most."""
    _fields_ = [("base", ctypes.c_void_p), ("start", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("extents", ctypes.c_int64 * 4)]

    def __init__(self, array):
        extents = array.shape + tuple(stride // array.itemsize for stride in array.strides)
        super().__init__(array.ctypes.data, array.ctypes.data, 0, (ctypes.c_int64 * 4)(*extents))

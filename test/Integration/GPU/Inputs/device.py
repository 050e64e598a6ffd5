"""Calls a program compiled for nvvm on a machine without a GPU: its own host
code runs, and its launches run in the PTX interpreter."""
import ctypes
import os
import subprocess
import normtest
import numpy as np
import ptx

HERE = os.path.dirname(os.path.abspath(__file__))


def build(source, work, chip="sm_90"):
    """Compiles a .mlir file to a shared object that asks for a launcher."""
    ir, library = work + ".ll", work + ".so"
    subprocess.run(["norm-compile", source, "--target=nvvm", "--chip=" + chip, "--emit=llvm-ir", "-o", ir], check=True)
    subprocess.run(["clang-22", "-w", "-O1", "-shared", "-fPIC", ir,
                    os.path.join(HERE, "launcher.c"), "-lm", "-o", library], check=True)
    return library


class Program:
    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.memory = ptx.Memory()
        self.kernels = {}
        self.launches = []  # (kernel, grid and block, loads, stores, shuffles)
        self.error = None
        launch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p,
                                  ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p))
        alloc = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self.callbacks = {"launch": launch(self.launch), "alloc": alloc(self.alloc), "free": free(self.free)}
        for name, callback in self.callbacks.items():
            slot = ctypes.c_void_p.in_dll(self.library, "emulator_" + name)
            slot.value = ctypes.cast(callback, ctypes.c_void_p).value

    def launch(self, text, name, sizes, params):
        try:
            if text not in self.kernels:
                self.kernels[text] = ptx.parse_kernels(ctypes.string_at(text).decode())
            kernel = self.kernels[text][name.decode()]
            values = {}
            for i, (param, size) in enumerate(kernel.params):
                values[param] = ctypes.string_at(params[i], size)
            self.launches.append((name.decode(), tuple(sizes[:6])) +
                                 ptx.launch(kernel, self.memory, values, list(sizes[:9])))
        except Exception as error:  # ctypes would only print it
            self.error = self.error or error

    def alloc(self, address, count):
        if count:
            data = (ctypes.c_uint8 * count).from_address(address)
            self.memory.add(address, np.frombuffer(data, np.uint8))

    def free(self, address):
        self.memory.buffers.pop(address, None)

    def call(self, name, arrays):
        """Arrays are contiguous; results are the trailing ones."""
        for array in arrays:
            self.memory.add(array.ctypes.data, array)
        normtest.call(getattr(self.library, "_mlir_ciface_" + name), *arrays)
        for array in arrays:
            self.memory.buffers.pop(array.ctypes.data, None)
        if self.error:
            raise self.error

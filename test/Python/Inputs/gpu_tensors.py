"""Functions for nvvm on tensors of device memory, which the driver on LD_LIBRARY_PATH has."""
import ctypes
import os
import sys

import numpy as np
from programs import DYNAMIC, reject

import norm_mlir

P = ctypes.c_void_p
CUDA = 2  # kDLCUDA


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", P), ("device", DLDevice), ("ndim", ctypes.c_int32), ("dtype", DLDataType),
                ("shape", P), ("strides", P), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", P),
                ("deleter", P), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    cuda = None


def check(code):
    assert code == 0, code


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]


class Memory:
    """A tensor of a library with __dlpack__ alone."""

    def __init__(self, array, device=0, strides=None, bits=None, code=2):
        self.array, self.address = array, P(array.ctypes.data)
        if cuda:
            check(cuda.cuMemAlloc_v2(ctypes.byref(self.address),
                                     ctypes.c_size_t(max(array.nbytes, 1))))
            check(cuda.cuMemcpyHtoD_v2(self.address, P(array.ctypes.data),
                                       ctypes.c_size_t(array.nbytes)))
        words = ctypes.c_int64 * max(array.ndim, 1)
        self.shape, self.strides = words(*array.shape), strides and words(*strides)
        self.streams = []
        self.managed = Managed(1, 0, None, None, 0, DLTensor(
            self.address, DLDevice(CUDA, device), array.ndim,
            DLDataType(code, bits or 8 * array.itemsize, 1),
            ctypes.cast(self.shape, P), ctypes.cast(self.strides, P), 0))

    def __dlpack_device__(self):
        return CUDA, self.managed.tensor.device.id

    def __dlpack__(self, *, stream, max_version):
        self.streams.append(stream)
        return new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", None)

    def download(self):
        result = np.empty_like(self.array)
        check(cuda.cuMemcpyDtoH_v2(P(result.ctypes.data), self.address,
                                   ctypes.c_size_t(result.nbytes)))
        return result


class Exchange(Memory):
    """A tensor of a library with DLPack's exchange functions, such as torch's."""


STREAM, kept = 7, []
Function = ctypes.PYFUNCTYPE
SetError = ctypes.CFUNCTYPE(None, P, ctypes.c_char_p, ctypes.c_char_p)


@Function(ctypes.c_int, ctypes.POINTER(DLTensor), ctypes.POINTER(P), P, SetError)
def allocate(prototype, out, context, set_error):
    tensor = prototype.contents
    shape = ctypes.cast(tensor.shape, ctypes.POINTER(ctypes.c_int64))[:tensor.ndim]
    if shape and shape[0] > 1000:
        set_error(context, b"MemoryError", b"no memory")
        return -1
    made = Exchange(np.zeros(shape, {32: "f", 16: "e"}[tensor.dtype.bits]), code=tensor.dtype.code)
    kept.append(made)
    out[0] = ctypes.addressof(made.managed)
    return 0


@Function(ctypes.c_int, P, ctypes.POINTER(P))
def to_object(managed, out):
    made = next(each for each in kept if ctypes.addressof(each.managed) == managed)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    out[0] = id(made)
    return 0


@Function(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
def to_tensor(value, out):
    out[0] = value.managed.tensor
    return 0


@Function(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(P))
def get_stream(kind, device, out):
    out[0] = STREAM
    return 0


class API(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", P),
                ("allocate", P), ("from_object", P), ("to_object", P), ("to_tensor", P),
                ("stream", P)]


api = API(1, 3, None, *(f and ctypes.cast(f, P) for f in (
    allocate, None, to_object, to_tensor, get_stream)))
Exchange.__dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(api), b"dlpack_exchange_api",
                                                None)

generator = np.random.default_rng(0)
x = generator.standard_normal((3, 64)).astype("f")
w = np.linspace(0.5, 1.5, 64, dtype="f")
norm = norm_mlir.compile(DYNAMIC, target="nvvm")
if not cuda:
    norm(Memory(x), Memory(w), out=Memory(x.copy()))
context = P()
check(cuda.cuInit(0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))


def expect(what, found, x, w, bound=1e-6):
    expected = x / np.sqrt(np.mean(x.astype("d") ** 2, -1, keepdims=True) + 1e-6) * w
    assert found.shape == x.shape and np.all(np.abs(found - expected) <= bound), what
    print(f"exact: {what}")


def call(function=norm, x=x, w=w, **named):
    return function(Exchange(x), Exchange(w), **named)


y = call()
assert type(y) is Exchange
expect("a result of the library, on its stream", y.download(), x, w)
plain, weight, out = Memory(x), Memory(w), Memory(np.zeros_like(x))
assert norm(plain, weight, out=out) is out
expect("out=, on the default stream", out.download(), x, w)
scaled = norm_mlir.compile(DYNAMIC.replace("epsilon = 1.0e-6", "epsilon = 1.0"), target="nvvm")
other = call(scaled)
assert np.abs(other.download() - y.download()).max() > 0.1
expect("two functions at once", call().download(), x, w)

ADD = """
#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<32xbf16>, %a: f32) -> tensor<32xbf16> {
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<32xbf16>) outs(%x : tensor<32xbf16>) {
  ^bb0(%e: bf16, %o: bf16):
    %wide = arith.extf %e : bf16 to f32
    %sum = arith.addf %wide, %a : f32
    %y = arith.truncf %sum : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<32xbf16>
  return %r : tensor<32xbf16>
}
"""
BFLOAT = dict(code=4)
halves = np.full(32, 0x3F00, np.uint16)  # 0.5
added = norm_mlir.compile(ADD, target="nvvm")(Exchange(halves, **BFLOAT), 0.5)
assert (added.download().view(np.uint16) == 0x3F80).all()  # 1
print("exact: bfloat16 and a number")
assert call(x=x[:0]).download().shape == (0, 64)
print("exact: no rows")
os.environ["NORM_MLIR_CACHE"] = sys.argv[1] + "/cache"
program = DYNAMIC + "// kept\n"
norm_mlir.compile(program, target="nvvm")
norm_mlir._program._cache._functions.clear()
expect("from a file", call(norm_mlir.compile(program, target="nvvm")).download(), x, w)
os.environ["NORM_MLIR_CACHE"] = ""
norm(Memory(x), Exchange(w), out=out)
print("__dlpack__ was told the streams", *plain.streams, "and", *out.streams)
STREAM = None
norm(Exchange(x), weight, out=out)
print("and then", *weight.streams)


reject(lambda: norm(Exchange(x)))
reject(lambda: norm(x, Exchange(w)))
reject(lambda: call(x=x.astype("d")))
reject(lambda: call(w=w[None]))
reject(lambda: norm(Exchange(x, strides=(1, 3)), Exchange(w)))
reject(lambda: call(w=w[:7]))
reject(lambda: norm(plain, weight))
reject(lambda: norm(plain, weight, out=plain))
reject(lambda: call(out=Memory(x[:2])))
reject(lambda: norm(Exchange(x), Memory(w, device=1)))
reject(lambda: norm(Memory(x, device=1), Memory(w, device=1), out=Memory(x, device=1)))
reject(lambda: call(x=np.ones((2000, 64), "f")))
reject(lambda: norm_mlir.compile(DYNAMIC)(plain, weight))
reject(lambda: norm_mlir._core.publish(norm))
reject(lambda: call(), FAKE_CUDA_FAIL="cuLaunchKernel=719")
newer = norm_mlir.compile(DYNAMIC, target="nvvm", chip="sm_100")
reject(lambda: call(newer), FAKE_CUDA_SM="90")
check(cuda.cuCtxSetCurrent(None))
reject(lambda: call())
check(cuda.cuCtxSetCurrent(context))
compile = lambda program, **options: norm_mlir.compile(program, **{"target": "nvvm"} | options)
reject(lambda: compile(DYNAMIC, threads=2))
reject(lambda: compile(DYNAMIC, target="cpu", chip="sm_90"))
reject(lambda: compile(DYNAMIC, chip="sm_1"))
reject(lambda: compile("""
func.func @main(%n: tensor<1xindex>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %n[%c0] : tensor<1xindex>
  %y = tensor.extract_slice %x[0] [%e] [1] : tensor<?xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}"""))
reject(lambda: compile("""
func.func @main(%x: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %y = tensor.extract %x[%c0] : tensor<4xf32>
  return %y : f32
}"""))
reject(lambda: compile("""
func.func @main(%x: tensor<4xf32>, %is_right: i1) -> tensor<4xf32> {
  cf.assert %is_right, "must be right"
  return %x : tensor<4xf32>
}"""))
expect("and right", call().download(), x, w)

"""Every message of the package: what is refused, and that nothing else is."""
import numpy as np
from programs import DYNAMIC, elementwise

import norm_mlir

x = np.ones((4, 8), np.float32)
w = np.ones(8, np.float32)
norm = norm_mlir.compile(DYNAMIC)
fixed = norm_mlir.compile(elementwise("tensor<4xf32>"))
v = np.ones(4, np.float32)


def refuse(call):
    try:
        call()
    except (ValueError, TypeError, OSError) as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("not refused")


def with_(array, **flags):
    array = array.copy()
    array.setflags(**flags)
    return array


class OnDevice:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise AssertionError("not to be asked")


class Versioned:
    """A tensor with an exporter that fails."""

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        raise BufferError("no memory to show")


refuse(lambda: norm(x))
refuse(lambda: norm(x, w, out=(x, x)))
refuse(lambda: norm(x, w, to=x))
refuse(lambda: norm(x.astype(float), w))
refuse(lambda: norm(x.astype(np.complex64), w))
refuse(lambda: norm(x.astype(">f4"), w))
refuse(lambda: fixed(v.astype(np.uint32), v))
refuse(lambda: norm(w, w))
refuse(lambda: fixed(w, v))
refuse(lambda: norm(np.ones((1,) * 9, np.float32), w))
refuse(lambda: norm(x.T, w))
refuse(lambda: norm(x[::-1], w))
refuse(lambda: norm(np.broadcast_to(w, (4, 8)), w))
refuse(lambda: fixed(np.frombuffer(bytes(20), np.float32, 4, 1), v))
refuse(lambda: norm([1.0], w))
refuse(lambda: norm(None, w))
refuse(lambda: norm(OnDevice(), w))
refuse(lambda: norm(x, w[:7]))
refuse(lambda: norm(x, w, out=np.empty((3, 8), np.float32)))
refuse(lambda: norm(x, w, out=x))
refuse(lambda: fixed(w[:4], v, out=w[3:7]))
refuse(lambda: fixed(v, v, out=with_(v, write=False)))
refuse(lambda: fixed(v, v, out=bytes(16)))
memory = memoryview(bytearray(16)).cast("f")
memory.release()
refuse(lambda: fixed(memory, v))
try:
    fixed(Versioned(), v)
except BufferError as error:
    print("BufferError:", error)

refuse(lambda: norm_mlir.compile("func.func @main() {\n  garbage\n}"))
refuse(lambda: norm_mlir.compile("func.func @main(" + "tuple<" * 300))
refuse(lambda: norm_mlir.compile("nowhere.mlir"))
refuse(lambda: norm_mlir.compile(DYNAMIC, "other"))
refuse(lambda: norm_mlir.compile("func.func @f(%x: i4) -> i4 {\n  return %x : i4\n}"))
refuse(lambda: norm_mlir.compile(DYNAMIC, rounding="sloppy"))
refuse(lambda: norm_mlir.compile(DYNAMIC, threads=0))
refuse(lambda: norm_mlir.compile(DYNAMIC, target="tpu"))
refuse(lambda: norm_mlir.compile(DYNAMIC, target="nvvm"))
refuse(lambda: norm_mlir.ptx(DYNAMIC, chip="sm_1"))
refuse(lambda: norm_mlir.ptx("func.func @main() {\n  return\n}"))
refuse(lambda: norm_mlir.ptx("garbage\n"))
refuse(lambda: norm_mlir.compile(DYNAMIC, cpu="z80"))
refuse(lambda: norm_mlir.recognize("garbage\n"))
refuse(lambda: norm_mlir.explain("garbage\n"))
refuse(lambda: norm_mlir.Function())
# An assertion of the program's own.
refuse(lambda: norm_mlir.compile("""
func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<4xi1>
  cf.assert %first, "the first must be true"
  return %x : tensor<4xi1>
}""")(np.zeros(4, bool)))
print("and right:", norm(x, w)[0, 0], fixed(v, v)[0], norm(x[:0], w).shape)

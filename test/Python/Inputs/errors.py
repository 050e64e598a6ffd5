"""Every message of the package: what is rejected, and that nothing else is."""
from pathlib import Path

import numpy as np
from programs import DYNAMIC, OVER, elementwise

import norm_mlir

x = np.ones((4, 8), np.float32)
w = np.ones(8, np.float32)
norm = norm_mlir.compile(DYNAMIC)
fixed = norm_mlir.compile(elementwise("tensor<4xf32>"))
v = np.ones(4, np.float32)


def reject(call):
    try:
        call()
    except (ValueError, TypeError, OSError) as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("not rejected")


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


reject(lambda: norm(x))
reject(lambda: norm(x, w, out=(x, x)))
reject(lambda: norm(x, w, to=x))
reject(lambda: norm(x.astype(float), w))
reject(lambda: norm(x.astype(np.complex64), w))
reject(lambda: norm(x.astype(">f4"), w))
reject(lambda: fixed(v.astype(np.uint32), v))
reject(lambda: norm(w, w))
reject(lambda: fixed(w, v))
reject(lambda: norm(np.ones((1,) * 9, np.float32), w))
reject(lambda: norm(x.T, w))
reject(lambda: norm(x[::-1], w))
reject(lambda: norm(np.broadcast_to(w, (4, 8)), w))
reject(lambda: fixed(np.frombuffer(bytes(20), np.float32, 4, 1), v))
reject(lambda: norm([1.0], w))
reject(lambda: norm(None, w))
reject(lambda: norm(OnDevice(), w))
reject(lambda: norm(x, w[:7]))
reject(lambda: norm(x, w, out=np.empty((3, 8), np.float32)))
reject(lambda: norm(x, w, out=x))
reject(lambda: fixed(w[:4], v, out=w[3:7]))
reject(lambda: fixed(v, v, out=with_(v, write=False)))
reject(lambda: fixed(v, v, out=bytes(16)))
over = norm_mlir.compile(elementwise("tensor<?xf32>", over=OVER))
reject(lambda: over(with_(v, write=False), v.copy()))
reject(lambda: over(w[:4], w[3:7]))
reject(lambda: over(v.copy(), v[:3]))
reject(lambda: over(v.copy(), v, out=v.copy()))
reject(lambda: norm_mlir._core.publish(over))
reject(lambda: norm_mlir.compile(f"""
func.func @main(%x: tensor<?xf32>{OVER}, %y: tensor<?xf32>) -> tensor<?xf32> {{
  return %y : tensor<?xf32>
}}""")(v[:3].copy(), v))
memory = memoryview(bytearray(16)).cast("f")
memory.release()
reject(lambda: fixed(memory, v))
try:
    fixed(Versioned(), v)
except BufferError as error:
    print("BufferError:", error)

reject(lambda: norm_mlir.compile("func.func @main() {\n  garbage\n}"))
reject(lambda: norm_mlir.compile("func.func @main(" + "tuple<" * 300))
reject(lambda: norm_mlir.compile("nowhere.mlir"))
reject(lambda: norm_mlir.compile(Path("nowhere.mlir")))
reject(lambda: norm_mlir.compile(Path(np.__file__).parent))
reject(lambda: norm_mlir.compile(Path("/dev/zero")))
reject(lambda: norm_mlir.parse(DYNAMIC.encode()))
reject(lambda: norm_mlir.parse(None))
reject(lambda: norm_mlir.compile(DYNAMIC, 1))
reject(lambda: norm_mlir.compile(DYNAMIC, threads="2"))
reject(lambda: norm_mlir.compile(DYNAMIC, rounding=None))
reject(lambda: norm_mlir.compile(DYNAMIC, "other"))
reject(lambda: norm_mlir.compile(elementwise("tensor<4xf32>", name="f")
                                 + elementwise("tensor<4xf32>", name="g").split("\n", 2)[2]))
reject(lambda: norm_mlir.compile("module {}"))
reject(lambda: norm_mlir.compile("func.func @f(%x: i4) -> i4 {\n  return %x : i4\n}"))
reject(lambda: norm_mlir.compile(DYNAMIC, rounding="sloppy"))
reject(lambda: norm_mlir.compile(DYNAMIC, threads=0))
reject(lambda: norm_mlir.compile(DYNAMIC, target="tpu"))
reject(lambda: norm_mlir.ptx(DYNAMIC, chip="sm_1"))
reject(lambda: norm_mlir.ptx("func.func @main() {\n  return\n}"))
reject(lambda: norm_mlir.ptx("garbage\n"))
reject(lambda: norm_mlir.compile(DYNAMIC, cpu="z80"))
reject(lambda: norm_mlir.recognize("garbage\n"))
reject(lambda: norm_mlir.explain("garbage\n"))
reject(lambda: norm_mlir.Function())
# An assertion of the program's own.
reject(lambda: norm_mlir.compile("""
func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<4xi1>
  cf.assert %first, "the first must be true"
  return %x : tensor<4xi1>
}""")(np.zeros(4, bool)))
total = v.copy()
assert over(total, v) == () and (total == v + v).all()
print("and right:", norm(x, w)[0, 0], fixed(v, v)[0], norm(x[:0], w).shape)

"""Complex tensors, and numbers as arguments and results (complex-and-scalars.test)."""
import json
import sys

import norm_mlir
import numpy

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

PROGRAM = """
#id = affine_map<(i) -> (i)>
func.func @square(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xcomplex<f32>>
  %e = tensor.empty(%n) : tensor<?xcomplex<f32>>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xcomplex<f32>>) outs(%e : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    %s = complex.mul %a, %a : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}
func.func @conj(%x: tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>> {
  %e = tensor.empty() : tensor<2x2xcomplex<f64>>
  %y = linalg.map ins(%x : tensor<2x2xcomplex<f64>>) outs(%e : tensor<2x2xcomplex<f64>>)
    (%a: complex<f64>, %o: complex<f64>) {
      %s = complex.conj %a : complex<f64>
      linalg.yield %s : complex<f64>
    }
  return %y : tensor<2x2xcomplex<f64>>
}
func.func @first(%x: tensor<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<4xi64>
  return %v : i64
}
func.func @scale(%x: tensor<4xf32>, %s: f32, %n: index) -> (f32, tensor<4xf32>, i1) {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.splat %s : tensor<4xf32>
  %y = linalg.mul ins(%x, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %v = tensor.extract %y[%n] : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %v, %zero : f32
  return %v, %y, %p : f32, tensor<4xf32>, i1
}
func.func @rows(%n: index, %v: f64) -> tensor<?xf64> {
  %y = tensor.splat %v[%n] : tensor<?xf64>
  return %y : tensor<?xf64>
}
"""
TYPES = {
    "f64": [1.5, -0.1, float("inf"), 7], "f32": [1.5, 0.1, -3], "f16": [1.5, 0.1, 65504.0],
    "bf16": [1.5, 0.1, 3e38], "f8E4M3FN": [1.5, 0.1, 448.0], "f8E5M2": [0.1, 57344.0],
    "complex<f32>": [1 + 2j, 0.1j, 3, 2.5], "complex<f64>": [0.1 - 0.2j, 3],
    "i64": [-2**63, 2**63 - 1, True], "i32": [-2**31, 2**31 - 1], "i16": [-2**15, 5], "i8": [-128, 127],
    "ui64": [2**64 - 1, 0], "ui32": [2**32 - 1], "ui16": [2**16 - 1], "ui8": [255], "si8": [-128, 127],
    "index": [-2**63, 2**63 - 1], "i1": [True, False]}
NUMPY = {"f64": "float64", "f32": "float32", "f16": "float16", "i1": "bool", "complex<f32>": "complex64",
         "complex<f64>": "complex128", "index": "int64", "si8": "int8"}
SMALL = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}


def compile(name, program=PROGRAM):
    return norm_mlir.compile(program, name, cache=False)


def fails(function, *arguments, **more):
    try:
        function(*arguments, **more)
        return "WRONG: no error"
    except (TypeError, norm_mlir.NormError) as error:
        return str(error)


def round_trip():
    """Each type by itself, and with others, which come back in a struct."""
    count = 0
    for element, values in TYPES.items():
        if element in SMALL and not ml_dtypes:
            continue
        dtype = numpy.dtype(getattr(ml_dtypes, SMALL[element]) if element in SMALL
                            else NUMPY.get(element, element.replace("i", "int")))
        one = compile("f", f"func.func @f(%x: {element}) -> {element} {{ return %x : {element} }}")
        two = compile("f", f"func.func @f(%x: {element}, %t: tensor<2xf32>) -> (i1, {element}, tensor<2xf32>, i8) {{\n"
                      "  %a = arith.constant true\n  %b = arith.constant -7 : i8\n"
                      f"  return %a, %x, %t, %b : i1, {element}, tensor<2xf32>, i8\n}}")
        for value in values:
            want = dtype.type(value)
            given = [value, want, numpy.array(want)]
            for x in given:
                got = one(x)
                a, b, t, c = two(x, numpy.array([3, 4], "f"))
                is_python = type(got) in (bool, int, float, complex)
                right = got == b == want and is_python and (a, c) == (True, -7) and (t == [3, 4]).all()
                count += 1
                if not right:
                    print("WRONG", element, repr(x), got, b, want)
    print(count, "numbers")


print(compile("square"))
x = numpy.array([1 + 2j, -0.5j, 3], "complex64")
print(compile("square")(x).dtype, (compile("square")(x) == x * x).all())
z = numpy.array([[1 + 2j, 3j], [4, 5 - 1j]])
print((compile("conj")(z) == z.conj()).all())
print(compile("first"), compile("first")(numpy.arange(7, 11)))
scale = compile("scale")
print(scale)
y = numpy.zeros(4, "f")
print(scale(numpy.arange(4, dtype="f"), 2.5, 3), scale(numpy.arange(4, dtype="f"), -1, numpy.int64(1), out=y), y)
print(compile("rows")(3, 0.5))
round_trip()
print(fails(scale, numpy.arange(4, dtype="f"), 2.5, 1.0))
print(fails(scale, numpy.arange(4, dtype="f"), 1j, 1))
print(fails(scale, numpy.arange(4, dtype="f"), numpy.float16(1), 1))
print(fails(scale, numpy.arange(4, dtype="f"), numpy.ones(1, "f"), 1))
print(fails(scale, numpy.arange(4, dtype="f"), "2", 1))
print(fails(scale, numpy.arange(4, dtype="f"), 2.0, 2**63))
print(fails(scale, numpy.arange(4, dtype="f"), 2.0, 1, out=(y, y)))
byte = compile("f", "func.func @f(%x: ui8) -> ui8 { return %x : ui8 }")
print(fails(byte, 256), fails(byte, -1), sep="\n")
print(fails(compile("square"), numpy.ones(3, "complex128")))
if "torch" in sys.argv:
    import torch
    t = torch.tensor([1 + 2j, 3 - 1j])
    print((compile("square")(t) == t * t).all().item(), compile("square")(t).dtype)
    try:
        print("WRONG", compile("square")(t.conj()))
    except Exception as error:  # torch's own, or ours where torch does not look.
        print("conjugate" in str(error))
    print(compile("first")(torch.arange(5, 9)), byte(torch.tensor(200, dtype=torch.uint8)))
if "jax" in sys.argv:
    import jax
    import norm_mlir.jax
    square = norm_mlir.jax.wrap(compile("square"), like=lambda x: x)
    print(jax.jit(square)(x).dtype, (numpy.asarray(jax.jit(square)(x)) == x * x).all())
    first = norm_mlir.jax.wrap(compile("first", PROGRAM.replace("i64", "i32")))
    print(jax.jit(first)(numpy.arange(7, 11, dtype="int32")))

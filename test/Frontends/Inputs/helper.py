"""norm_mlir.py on numpy arrays: results, and the message of every refusal."""
import os
import sys

import numpy

sys.path.insert(0, sys.argv[1])
import norm_mlir  # noqa: E402

PROGRAM = """
func.func @add(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x4xf32>
  %init = tensor.empty(%rows) : tensor<?x4xf32>
  %sum = linalg.add ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>)
                    outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %sum : tensor<?x4xf32>
}
func.func @sum_and_product(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>)
    -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %init = tensor.empty() : tensor<2x3xf64>
  %sum = linalg.add ins(%x, %y : tensor<2x3xf64>, tensor<2x3xf64>)
                    outs(%init : tensor<2x3xf64>) -> tensor<2x3xf64>
  %product = linalg.mul ins(%x, %y : tensor<2x3xf64>, tensor<2x3xf64>)
                        outs(%init : tensor<2x3xf64>) -> tensor<2x3xf64>
  return %sum, %product : tensor<2x3xf64>, tensor<2x3xf64>
}
func.func @scalar(%x: f32, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}
"""


def refused(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except norm_mlir.NormError as error:
        print(f"refused: {error}")
    else:
        print(f"not refused: {arguments} {options}")


x, y = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
add = norm_mlir.compile(PROGRAM, "add")
out = numpy.empty_like(x)
assert add(x, y, out=out) is out and (out == x + y).all()
both = norm_mlir.compile(PROGRAM, "sum_and_product")
a, b = numpy.random.default_rng(0).random((2, 2, 3))
total, product = both(a, b)
assert (total == a + b).all() and (product == a * b).all()
print("results are right")

refused(add, x, y)
refused(add, x, out=out)
refused(add, x, y.astype(numpy.float64), out=out)
refused(add, x, y[0], out=out)
refused(add, x, numpy.zeros((3, 5), numpy.float32), out=out)
refused(add, x, numpy.zeros((4, 3), numpy.float32).T, out=out)
refused(add, x, y.tolist(), out=out)
refused(add, x, y, out=[out, out])
refused(add, x, y, out=out.astype(numpy.float16))
refused(add, x, y, out=x)
refused(both, a, b, out=[total, total])
out.flags.writeable = False
refused(add, x, y, out=out)
refused(norm_mlir.compile, PROGRAM, "subtract")
refused(norm_mlir.compile, PROGRAM, "scalar")
refused(norm_mlir.compile, "func.func @add(")
if "--torch" in sys.argv:
    import torch

    rows = torch.ones(3, 4)
    refused(add, rows, rows.double(), out=rows)
    refused(add, rows, torch.ones(4, 3).t(), out=rows)
    refused(add, rows, rows.to("meta"), out=rows)
    refused(add, rows, rows, out=rows)
    result = add(rows, y, out=torch.empty(3, 4))  # torch and numpy together
    assert (result.numpy() == 1 + y).all()
os.environ["NORM_MLIR_BIN"] = "/nonexistent"
refused(norm_mlir.compile, PROGRAM, "add")

"""Programs of the tests."""
import os

os.environ.setdefault("NORM_MLIR_CACHE", "")

DYNAMIC = """
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>)
                    outs(%init : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32
                    -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""


def elementwise(type, op="arith.addf", name="main", over=""):
    """Adds two tensors, as a linalg.generic. `over` is the attribute of the first."""
    element = type.rpartition("x")[2].rstrip(">")
    return f"""
#map = affine_map<(d0) -> (d0)>
func.func @{name}(%x: {type}{over}, %y: {type}) -> {type} {{
  %r = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}}
      ins(%x, %y : {type}, {type}) outs(%x : {type}) {{
  ^bb0(%a: {element}, %b: {element}, %c: {element}):
    %s = {op} %a, %b : {element}
    linalg.yield %s : {element}
  }} -> {type}
  return %r : {type}
}}
"""


OVER = " {norm.result = 0 : i64}"


def convert(source, target):
    """Widens or rounds the floats of a tensor of 2 dimensions."""
    op = "arith.truncf" if source == "f32" else "arith.extf"
    return f"""
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x64x{source}>) -> tensor<?x64x{target}> {{
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x64x{source}>
  %init = tensor.empty(%rows) : tensor<?x64x{target}>
  %r = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<?x64x{source}>) outs(%init : tensor<?x64x{target}>) {{
  ^bb0(%a: {source}, %b: {target}):
    %s = {op} %a : {source} to {target}
    linalg.yield %s : {target}
  }} -> tensor<?x64x{target}>
  return %r : tensor<?x64x{target}>
}}
"""


def lookup(rows, width):
    """Rows of a table, in one loop that checks each index."""
    return f"""
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%table: tensor<{rows}x{width}xf32>, %i: tensor<?xi64>) -> tensor<?x{width}xf32> {{
  %c0 = arith.constant 0 : index
  %d = tensor.dim %i, %c0 : tensor<?xi64>
  %init = tensor.empty(%d) : tensor<?x{width}xf32>
  %size = arith.constant {rows} : i64
  %r = linalg.generic {{indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%i : tensor<?xi64>) outs(%init : tensor<?x{width}xf32>) {{
  ^bb0(%a: i64, %b: f32):
    %fits = arith.cmpi ult, %a, %size : i64
    cf.assert %fits, "index must be smaller than dim size"
    %row = arith.index_cast %a : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<{rows}x{width}xf32>
    linalg.yield %v : f32
  }} -> tensor<?x{width}xf32>
  return %r : tensor<?x{width}xf32>
}}
"""


def reject(call, **environment):
    """Prints the error of a call, made with these variables in the environment."""
    os.environ.update(environment)
    try:
        call()
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    else:
        print("not rejected")
    for name in environment:
        del os.environ[name]

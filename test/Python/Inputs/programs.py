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


def elementwise(type, op="arith.addf", name="main"):
    """Adds two tensors, as a linalg.generic."""
    element = type.rpartition("x")[2].rstrip(">")
    return f"""
#map = affine_map<(d0) -> (d0)>
func.func @{name}(%x: {type}, %y: {type}) -> {type} {{
  %r = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}}
      ins(%x, %y : {type}, {type}) outs(%x : {type}) {{
  ^bb0(%a: {element}, %b: {element}, %c: {element}):
    %s = {op} %a, %b : {element}
    linalg.yield %s : {element}
  }} -> {type}
  return %r : {type}
}}
"""


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

// Packs and unpacks become padding, reshapes, transpositions and slices.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --function=pack '--input=3x5xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15' --input=f32=0 | FileCheck %s --check-prefix=PACK
// RUN: norm-run %s --function=unpack '--input=2x2x2x4xf32=1 2 3 4 6 7 8 9 11 12 13 14 0 0 0 0 5 0 0 0 10 0 0 0 15 0 0 0 0 0 0 0' | FileCheck %s --check-prefix=UNPACK
// RUN: norm-run %s --function=round_trip '--input=3x5xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15' --input=f32=nan | FileCheck %s --check-prefix=UNPACK
// RUN: not norm-compile %S/Inputs/open-tiles.mlir -o %t 2>&1 | FileCheck %s --check-prefix=OPEN
// PACK: result[0]: 2x2x2x4xf32={{\[\[\[}}1 2 3 4][6 7 8 9{{\]\]\[\[}}11 12 13 14][0 0 0 0{{\]\]\]\[\[\[}}5 0 0 0][10 0 0 0{{\]\]\[\[}}15 0 0 0][0 0 0 0{{\]\]\]}}
// UNPACK: result[0]: 3x5xf32=[1 2 3 4 5][6 7 8 9 10][11 12 13 14 15]
// OPEN: open-tiles.mlir:2:8: error: op was not bufferized

// CHECK-LABEL: func @pack
// CHECK-NOT: linalg.pack
// CHECK: tensor.pad
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
func.func @pack(%a: tensor<3x5xf32>, %z: f32) -> tensor<2x2x2x4xf32> {
  %e = tensor.empty() : tensor<2x2x2x4xf32>
  %p = linalg.pack %a padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<3x5xf32> -> tensor<2x2x2x4xf32>
  return %p : tensor<2x2x2x4xf32>
}

// CHECK-LABEL: func @unpack
// CHECK-NOT: linalg.unpack
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice
func.func @unpack(%a: tensor<2x2x2x4xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %u = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<2x2x2x4xf32> -> tensor<3x5xf32>
  return %u : tensor<3x5xf32>
}

func.func @round_trip(%a: tensor<?x?xf32>, %z: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %mo = arith.ceildivui %m, %c2 : index
  %no = arith.ceildivui %n, %c4 : index
  %e = tensor.empty(%mo, %no) : tensor<?x?x2x4xf32>
  %p = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<?x?xf32> -> tensor<?x?x2x4xf32>
  %o = tensor.empty(%m, %n) : tensor<?x?xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %o : tensor<?x?x2x4xf32> -> tensor<?x?xf32>
  return %u : tensor<?x?xf32>
}

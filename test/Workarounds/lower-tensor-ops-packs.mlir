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

// A convolution of 3 x 3 by Winograd's transforms: each result adds 3*3*8 ones.
// RUN: norm-run %s --function=winograd --input=5x3x3x8xf32=1 --input=1x6x6x8xf32=1 --expected-output=1x4x4x5xf32=72 --max-ulp=64
// CHECK-LABEL: func @winograd
// CHECK-NOT: linalg.winograd
func.func @winograd(%w: tensor<5x3x3x8xf32>, %x: tensor<1x6x6x8xf32>) -> tensor<1x4x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<6x6x8x5xf32>
  %wt = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<5x3x3x8xf32>) outs(%we : tensor<6x6x8x5xf32>) -> tensor<6x6x8x5xf32>
  %xe = tensor.empty() : tensor<6x6x1x1x1x8xf32>
  %xt = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<1x6x6x8xf32>) outs(%xe : tensor<6x6x1x1x1x8xf32>) -> tensor<6x6x1x1x1x8xf32>
  %a = tensor.collapse_shape %xt [[0, 1], [2, 3, 4], [5]] : tensor<6x6x1x1x1x8xf32> into tensor<36x1x8xf32>
  %b = tensor.collapse_shape %wt [[0, 1], [2], [3]] : tensor<6x6x8x5xf32> into tensor<36x8x5xf32>
  %pe = tensor.empty() : tensor<36x1x5xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<36x1x5xf32>) -> tensor<36x1x5xf32>
  %p = linalg.batch_matmul ins(%a, %b : tensor<36x1x8xf32>, tensor<36x8x5xf32>) outs(%pf : tensor<36x1x5xf32>) -> tensor<36x1x5xf32>
  %yt = tensor.expand_shape %p [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 1, 1, 1, 5] : tensor<36x1x5xf32> into tensor<6x6x1x1x1x5xf32>
  %ye = tensor.empty() : tensor<1x4x4x5xf32>
  %y = linalg.winograd_output_transform fmr(F_4_3) ins(%yt : tensor<6x6x1x1x1x5xf32>) outs(%ye : tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

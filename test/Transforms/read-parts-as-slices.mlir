// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-read-parts-as-slices),canonicalize)' | FileCheck %s

// The columns of pairs.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xi8>)
// CHECK: %[[LOW:.*]] = tensor.extract_slice %[[X]][0, 0] [%{{.*}}, 32] [1, 2] : tensor<?x64xi8> to tensor<?x32xi8>
// CHECK: %[[HIGH:.*]] = tensor.extract_slice %[[X]][0, 1] [%{{.*}}, 32] [1, 2] : tensor<?x64xi8> to tensor<?x32xi8>
// CHECK: return %[[LOW]], %[[HIGH]]
func.func @pairs(%x: tensor<?x64xi8>) -> (tensor<?x32xi8>, tensor<?x32xi8>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xi8>
  %p = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 32, 2] : tensor<?x64xi8> into tensor<?x32x2xi8>
  %low = tensor.extract_slice %p[0, 0, 0] [%m, 32, 1] [1, 1, 1] : tensor<?x32x2xi8> to tensor<?x32xi8>
  %kept = tensor.extract_slice %p[0, 0, 1] [%m, 32, 1] [1, 1, 1] : tensor<?x32x2xi8> to tensor<?x32x1xi8>
  %high = tensor.collapse_shape %kept [[0], [1, 2]] : tensor<?x32x1xi8> into tensor<?x32xi8>
  return %low, %high : tensor<?x32xi8>, tensor<?x32xi8>
}

// -----

// Every other element of a row of blocks.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: (%[[X:.*]]: tensor<8x4x16xi8>)
// CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][0, 0, 1] [8, 4, 8] [1, 1, 2]
// CHECK: tensor.collapse_shape %[[S]] {{\[}}[0], [1, 2]] : tensor<8x4x8xi8> into tensor<8x32xi8>
func.func @blocks(%x: tensor<8x4x16xi8>) -> tensor<8x32xi8> {
  %row = tensor.collapse_shape %x [[0], [1, 2]] : tensor<8x4x16xi8> into tensor<8x64xi8>
  %odd = tensor.extract_slice %row[0, 1] [8, 32] [1, 2] : tensor<8x64xi8> to tensor<8x32xi8>
  return %odd : tensor<8x32xi8>
}

// -----

// Every third element of blocks of 16 is at another place in each block.
// CHECK-LABEL: func.func @other_stride
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [8, 16] [1, 3] : tensor<8x48xi8>
func.func @other_stride(%x: tensor<8x3x16xi8>) -> tensor<8x16xi8> {
  %row = tensor.collapse_shape %x [[0], [1, 2]] : tensor<8x3x16xi8> into tensor<8x48xi8>
  %odd = tensor.extract_slice %row[0, 1] [8, 16] [1, 3] : tensor<8x48xi8> to tensor<8x16xi8>
  return %odd : tensor<8x16xi8>
}

// -----

// CHECK-LABEL: func.func @strided_map
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xi8>)
// CHECK-DAG: %[[LOW:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 32] [1, 2]
// CHECK-DAG: %[[HIGH:.*]] = tensor.extract_slice %[[X]][0, 1] [8, 32] [1, 2]
// CHECK: linalg.generic {{.*}} ins(%[[LOW]], %[[HIGH]] :
#id = affine_map<(d0, d1) -> (d0, d1)>
#even = affine_map<(d0, d1) -> (d0, d1 * 2)>
#odd = affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>
func.func @strided_map(%x: tensor<8x64xi8>) -> tensor<8x32xi8> {
  %e = tensor.empty() : tensor<8x32xi8>
  %y = linalg.generic {indexing_maps = [#even, #odd, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<8x64xi8>, tensor<8x64xi8>) outs(%e : tensor<8x32xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %v = arith.ori %a, %b : i8
    linalg.yield %v : i8
  } -> tensor<8x32xi8>
  return %y : tensor<8x32xi8>
}

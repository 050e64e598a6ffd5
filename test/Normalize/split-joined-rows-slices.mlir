// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-split-joined-rows),canonicalize)' | FileCheck %s

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

// -----

// One window of an operand that holds more is a slice; the extent of the window may be
// open. An operand that the window fills stays.
// CHECK-LABEL: func.func @one_window
// CHECK-SAME: (%[[X:.*]]: tensor<5x4xf32>, %[[Y:.*]]: tensor<?xf32>, %[[W:.*]]: tensor<3xf32>, %[[V:.*]]: tensor<?xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][0, 0] [3, 4] [1, 1] : tensor<5x4xf32> to tensor<3x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[S]], %[[W]] :
// CHECK: %[[N:.*]] = tensor.dim %[[V]],
// CHECK: %[[T:.*]] = tensor.extract_slice %[[Y]][0] [%[[N]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[T]], %[[V]] :
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[W]] :
#window = affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>
#size = affine_map<(d0, d1, d2) -> (d2)>
#place = affine_map<(d0, d1, d2) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0 + d1)>
#first = affine_map<(d0, d1) -> (d0)>
#second = affine_map<(d0, d1) -> (d1)>
func.func @one_window(%x: tensor<5x4xf32>, %y: tensor<?xf32>, %w: tensor<3xf32>, %v: tensor<?xf32>, %a: tensor<1x4xf32>, %b: tensor<1xf32>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = linalg.generic {indexing_maps = [#window, #size, #place], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<5x4xf32>, tensor<3xf32>) outs(%a : tensor<1x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x4xf32>
  %1 = linalg.generic {indexing_maps = [#sum, #second, #first], iterator_types = ["parallel", "reduction"]} ins(%y, %v : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  %2 = linalg.generic {indexing_maps = [#sum, #second, #first], iterator_types = ["parallel", "reduction"]} ins(%w, %w : tensor<3xf32>, tensor<3xf32>) outs(%b : tensor<1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  return %0, %1, %2 : tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>
}

// -----

// A slice of no elements would start behind them.
// CHECK-LABEL: func @no_elements
// CHECK-NOT: tensor.extract_slice
func.func @no_elements(%a: tensor<6x0xf32>, %o: tensor<6x0xf32>) -> tensor<6x0xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 3 * j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<6x0xf32>) outs(%o : tensor<6x0xf32>) {
  ^bb0(%x: f32, %p: f32):
    %t = arith.addf %x, %p : f32
    linalg.yield %t : f32
  } -> tensor<6x0xf32>
  return %r : tensor<6x0xf32>
}

// RUN: norm-opt %s --norm-normalize-loops --split-input-file | FileCheck %s

// A sum over two dimensions and its use: rows of 64, and no reshape in between.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COL:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @two_dims
// CHECK-SAME: (%[[X:.*]]: tensor<?x4x16xf32>, %[[W:.*]]: tensor<4x16xf32>
// CHECK: tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]]], iterator_types = ["parallel", "reduction"]}
// CHECK-NOT: tensor.expand_shape
// CHECK: tensor.collapse_shape %[[W]] {{\[}}[0, 1]] : tensor<4x16xf32> into tensor<64xf32>
// CHECK-NOT: tensor.expand_shape
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[COL]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK: tensor.expand_shape %[[Y]]
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
#col = affine_map<(d0, d1, d2) -> (d1, d2)>
func.func @two_dims(%x: tensor<?x4x16xf32>, %w: tensor<4x16xf32>, %s: tensor<?xf32>, %y: tensor<?x4x16xf32>) -> tensor<?x4x16xf32> {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<?x4x16xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %sum, %w : tensor<?x4x16xf32>, tensor<?xf32>, tensor<4x16xf32>) outs(%y : tensor<?x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %d = arith.mulf %a, %b : f32
    %e = arith.mulf %d, %c : f32
    linalg.yield %e : f32
  } -> tensor<?x4x16xf32>
  return %r : tensor<?x4x16xf32>
}

// -----

// Rows of two leading dimensions; one that is not known can be inferred.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<?x16xf32>) outs(%{{.*}} : tensor<?xf32>)
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @rows(%x: tensor<?x8x16xf32>, %s: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x8x16xf32>) outs(%s : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x8xf32>
  return %sum : tensor<?x8xf32>
}

// -----

// One op has the dimensions in another order: they stay apart in both.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: tensor.collapse_shape
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#turn = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @transposed(%x: tensor<4x8x16xf32>, %s: tensor<4x8xf32>, %t: tensor<8x4x16xf32>) -> (tensor<4x8xf32>, tensor<8x4x16xf32>) {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x8x16xf32>) outs(%s : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #turn], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x8x16xf32>) outs(%t : tensor<8x4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x4x16xf32>
  return %sum, %r : tensor<4x8xf32>, tensor<8x4x16xf32>
}

// -----

// Two extents that are not known, an index, and ops that are not generic.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.collapse_shape
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @others(%x: tensor<?x?x?xf32>, %y: tensor<4x4x4xindex>, %z: tensor<4x4x4xf32>) -> (tensor<?x?x?xf32>, tensor<4x4x4xindex>, tensor<4x4x4xf32>) {
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%x : tensor<?x?x?xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  } -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%y : tensor<4x4x4xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 1 : index
    linalg.yield %i : index
  } -> tensor<4x4x4xindex>
  %t = linalg.exp ins(%z : tensor<4x4x4xf32>) outs(%z : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %r, %s, %t : tensor<?x?x?xf32>, tensor<4x4x4xindex>, tensor<4x4x4xf32>
}

// -----

// Elementwise alone: the innermost dimension stays a row.
// CHECK-LABEL: func.func @elementwise
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<16x4xf32>)
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @elementwise(%z: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%z : tensor<2x8x4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  } -> tensor<2x8x4xf32>
  return %r : tensor<2x8x4xf32>
}

// -----

// A slice is not contiguous: what reads it stays, and so does what shares its row.
// CHECK-LABEL: func.func @slice
// CHECK-NOT: tensor.collapse_shape
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
func.func @slice(%x: tensor<8x4x16xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %p = tensor.extract_slice %x[0, 0, 0] [8, 4, 10] [1, 1, 1] : tensor<8x4x16xf32> to tensor<8x4x10xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction", "reduction"]} ins(%p : tensor<8x4x10xf32>) outs(%s : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#col = affine_map<(d0, d1, d2) -> (d2)>
!m = tensor<4x8x64xf32>
// Both read one view of %x, by which norm-form-rows knows that they read the same.
// CHECK-LABEL: func @shared_view
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK-NOT: tensor.collapse_shape %arg0
// CHECK: linalg.generic {{.*}} ins(%[[X]] :
// CHECK: linalg.generic {{.*}} ins(%[[X]] :
func.func @shared_view(%x: !m, %z: tensor<64xf32>) -> (!m, tensor<64xf32>) {
  %e = tensor.empty() : !m
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : !m) outs(%e : !m) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> !m
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x : !m) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y, %s : !m, tensor<64xf32>
}

// An extent that is not known times zero would be an extent that is known.
// CHECK-LABEL: func.func @zero_times_unknown
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @zero_times_unknown(%x: tensor<4x?x0xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<4x?x0xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

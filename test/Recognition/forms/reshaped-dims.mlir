// RUN: norm-opt %s --norm-recognize --split-input-file | FileCheck %s
// RUN: sed -e 's|%flat \[\[0\], \[1, 2\]\]|%other [[0], [1, 2]]|' %s | norm-opt --norm-recognize --split-input-file | FileCheck %s --check-prefix=OTHER

// The statistic sees the row flat, the scaling sees it as heads: a norm over
// both dimensions of the heads.

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row2 = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @flat_statistic
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<3x4x8xf32>)
// CHECK-SAME: dims = [1, 2]
// CHECK-NOT: math.
// CHECK: return
// OTHER-LABEL: func @flat_statistic
// OTHER-NOT: norm.rmsnorm
// OTHER: return
func.func @flat_statistic(%flat: tensor<3x32xf32>, %other: tensor<3x32xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %e1 = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.generic {indexing_maps = [#id2, #row2], iterator_types = ["parallel", "reduction"]}
      ins(%flat : tensor<3x32xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %heads = tensor.expand_shape %flat [[0], [1, 2]] output_shape [3, 4, 8] : tensor<3x32xf32> into tensor<3x4x8xf32>
  %e2 = tensor.empty() : tensor<3x4x8xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%heads, %sum : tensor<3x4x8xf32>, tensor<3xf32>) outs(%e2 : tensor<3x4x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %rs = math.rsqrt %mean : f32
    %z = arith.mulf %in, %rs : f32
    linalg.yield %z : f32
  } -> tensor<3x4x8xf32>
  return %y : tensor<3x4x8xf32>
}

// -----

// The other way round, with the sum over two dimensions of x as it is stored.

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row2 = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @flat_result
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<3x32xf32>)
// CHECK-SAME: dims = [1]
// CHECK-NOT: math.
// CHECK: return
func.func @flat_result(%x: tensor<3x4x8xf32>) -> tensor<3x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %e1 = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x4x8xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %flat = tensor.collapse_shape %x [[0], [1, 2]] : tensor<3x4x8xf32> into tensor<3x32xf32>
  %e2 = tensor.empty() : tensor<3x32xf32>
  %y = linalg.generic {indexing_maps = [#id2, #row2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%flat, %sum : tensor<3x32xf32>, tensor<3xf32>) outs(%e2 : tensor<3x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %rs = math.rsqrt %mean : f32
    %z = arith.mulf %in, %rs : f32
    linalg.yield %z : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

// Half a row seen as heads is not the row: the sum covers more than the result.

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row2 = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @half_a_row
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @half_a_row(%flat: tensor<3x32xf32>) -> tensor<3x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %e1 = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.generic {indexing_maps = [#id2, #row2], iterator_types = ["parallel", "reduction"]}
      ins(%flat : tensor<3x32xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %half = tensor.extract_slice %flat[0, 0] [3, 16] [1, 1] : tensor<3x32xf32> to tensor<3x16xf32>
  %heads = tensor.expand_shape %half [[0], [1, 2]] output_shape [3, 2, 8] : tensor<3x16xf32> into tensor<3x2x8xf32>
  %e2 = tensor.empty() : tensor<3x2x8xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%heads, %sum : tensor<3x2x8xf32>, tensor<3xf32>) outs(%e2 : tensor<3x2x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %rs = math.rsqrt %mean : f32
    %z = arith.mulf %in, %rs : f32
    linalg.yield %z : f32
  } -> tensor<3x2x8xf32>
  return %y : tensor<3x2x8xf32>
}

// -----

// The same extents in another order of digits: transposed heads.

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swap = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#head = affine_map<(d0, d1, d2) -> (d0, d1)>
#head2 = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func @other_digits
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @other_digits(%x: tensor<3x8x8xf32>) -> tensor<3x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %e1 = tensor.empty() : tensor<3x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<3x8x8xf32> into tensor<192xf32>
  %again = tensor.expand_shape %flat [[0, 1, 2]] output_shape [3, 8, 8] : tensor<192xf32> into tensor<3x8x8xf32>
  %sum = linalg.generic {indexing_maps = [#swap, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%again : tensor<3x8x8xf32>) outs(%init : tensor<3x8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<3x8xf32>
  %e2 = tensor.empty() : tensor<3x8x8xf32>
  %y = linalg.generic {indexing_maps = [#id3, #head, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<3x8x8xf32>, tensor<3x8xf32>) outs(%e2 : tensor<3x8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %rs = math.rsqrt %mean : f32
    %z = arith.mulf %in, %rs : f32
    linalg.yield %z : f32
  } -> tensor<3x8x8xf32>
  return %y : tensor<3x8x8xf32>
}

// -----

// x . x as a matrix product of the row with itself as a column.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row2 = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @dot
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<6x32xf32>)
// CHECK-NOT: linalg.batch_matmul
// CHECK: return
func.func @dot(%x: tensor<6x32xf32>) -> tensor<6x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [6, 1, 32] : tensor<6x32xf32> into tensor<6x1x32xf32>
  %b = tensor.expand_shape %x [[0], [1, 2]] output_shape [6, 32, 1] : tensor<6x32xf32> into tensor<6x32x1xf32>
  %e1 = tensor.empty() : tensor<6x1x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6x1x1xf32>) -> tensor<6x1x1xf32>
  %dot = linalg.batch_matmul ins(%a, %b : tensor<6x1x32xf32>, tensor<6x32x1xf32>) outs(%init : tensor<6x1x1xf32>) -> tensor<6x1x1xf32>
  %sum = tensor.collapse_shape %dot [[0, 1, 2]] : tensor<6x1x1xf32> into tensor<6xf32>
  %e2 = tensor.empty() : tensor<6x32xf32>
  %y = linalg.generic {indexing_maps = [#id2, #row2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<6x32xf32>, tensor<6xf32>) outs(%e2 : tensor<6x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %rs = math.rsqrt %mean : f32
    %z = arith.mulf %in, %rs : f32
    linalg.yield %z : f32
  } -> tensor<6x32xf32>
  return %y : tensor<6x32xf32>
}

// An elementwise op is not fused into a product of matrices that reads each of its
// elements many times, unless the result would take more memory than what it reads.

// RUN: norm-opt %s --norm-fuse-elementwise --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-fuse-elementwise=products=blocks --split-input-file | FileCheck %s --check-prefix=BLOCKS

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// The gate of an MLP: one exponential an element, whatever the columns of the weight.
// CHECK-LABEL: func.func @gate
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK: linalg.generic
// CHECK-SAME: "reduction"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield
func.func @gate(%gate: tensor<3x48xf32>, %up: tensor<3x48xf32>, %w: tensor<32x48xf32>, %init: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x48xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%gate : tensor<3x48xf32>) outs(%e : tensor<3x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %d = arith.addf %p, %one : f32
    %v = arith.divf %a, %d : f32
    linalg.yield %v : f32
  } -> tensor<3x48xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %up : tensor<3x48xf32>, tensor<3x48xf32>) outs(%e : tensor<3x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<3x48xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %w : tensor<3x48xf32>, tensor<32x48xf32>) outs(%init : tensor<3x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

// A transposition, a widening cast, and weights in 8 bits with a scale a row.
// CHECK-LABEL: func.func @layout
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @widen
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @dequantize
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @layout(%x: tensor<3x48xf32>, %w: tensor<48x32xf32>, %init: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %e = tensor.empty() : tensor<32x48xf32>
  %t = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<48x32xf32>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<32x48xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<3x48xf32>, tensor<32x48xf32>) outs(%init : tensor<3x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

func.func @widen(%x: tensor<3x48xf32>, %w: tensor<32x48xbf16>, %init: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %e = tensor.empty() : tensor<32x48xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<32x48xbf16>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<32x48xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<3x48xf32>, tensor<32x48xf32>) outs(%init : tensor<3x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

func.func @dequantize(%x: tensor<3x48xf32>, %w: tensor<32x48xi8>, %scale: tensor<32xf32>, %init: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %e = tensor.empty() : tensor<32x48xf32>
  %t = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %scale : tensor<32x48xi8>, tensor<32xf32>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    %v = arith.mulf %f, %b : f32
    linalg.yield %v : f32
  } -> tensor<32x48xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<3x48xf32>, tensor<32x48xf32>) outs(%init : tensor<3x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#vec = affine_map<(d0) -> (d0)>

// A sum over each row is no product of matrices.
// CHECK-LABEL: func.func @row_sum
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @row_sum(%x: tensor<3x48xf32>, %w: tensor<48xf32>, %init: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<48xf32>
  %t = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%w : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<48xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %t : tensor<3x48xf32>, tensor<48xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d0)>

// Of many rows, blocks compute scaled integers once; what is only widened they read in place.
// CHECK-LABEL: func.func @many_rows
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// BLOCKS-LABEL: func.func @many_rows
// BLOCKS: linalg.generic {{.*}}["parallel", "parallel"]
// BLOCKS: arith.sitofp
// BLOCKS: linalg.generic {{.*}}["parallel", "parallel", "reduction"]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<30x48xf32>, tensor<32x48xf32>)
func.func @many_rows(%x: tensor<30x48xf32>, %w: tensor<32x48xi8>, %s: tensor<32xf32>, %init: tensor<30x32xf32>) -> tensor<30x32xf32> {
  %e = tensor.empty() : tensor<32x48xf32>
  %t = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<32x48xi8>, tensor<32xf32>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    %v = arith.mulf %f, %b : f32
    linalg.yield %v : f32
  } -> tensor<32x48xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<30x48xf32>, tensor<32x48xf32>) outs(%init : tensor<30x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<30x32xf32>
  return %y : tensor<30x32xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @widened
// BLOCKS-LABEL: func.func @widened
// BLOCKS: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<30x48xf32>, tensor<32x48xbf16>)
func.func @widened(%x: tensor<30x48xf32>, %w: tensor<32x48xbf16>, %init: tensor<30x32xf32>) -> tensor<30x32xf32> {
  %e = tensor.empty() : tensor<32x48xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<32x48xbf16>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %f = arith.extf %a : bf16 to f32
    linalg.yield %f : f32
  } -> tensor<32x48xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<30x48xf32>, tensor<32x48xf32>) outs(%init : tensor<30x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<30x32xf32>
  return %y : tensor<30x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// The sums of two products start from one fill, and find it in their own shape.

// CHECK-LABEL: func.func @viewed_fill
// CHECK-NOT: expand_shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x4xf32>)
// CHECK-NOT: expand_shape
// CHECK: return
// BLOCKS-LABEL: func.func @viewed_fill
func.func @viewed_fill() -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel", "parallel"]} ins(%zero : f32) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  %k = tensor.expand_shape %f [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  %v = tensor.expand_shape %f [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  return %k, %v : tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// Products that one op forms in 16 bits and another one widens are rounded all the same.
// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>%t.err
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: norm-opt %s --norm-recognize=rounding=relaxed | FileCheck %s --check-prefix=RELAXED

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#vec = affine_map<(d0) -> (d0)>

// dy * z is rounded to bf16 and so is its sum: this is dw of bf16.
// CHECK-LABEL: func.func @rounded_sum(
// CHECK: norm.rmsnorm_backward {{.*}} dw(%{{.*}} : tensor<8xbf16>) {{.*}} normalized_type = bf16
func.func @rounded_sum(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %r: tensor<4xf32>) -> tensor<8xbf16> {
  %wide_init = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%wide_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %scaled_init = tensor.empty() : tensor<4x8xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%scaled_init : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %z_init = tensor.empty() : tensor<4x8xbf16>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled : tensor<4x8xf32>) outs(%z_init : tensor<4x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %v = arith.truncf %a : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %product_init = tensor.empty() : tensor<4x8xbf16>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %z : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%product_init : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %v = arith.mulf %a, %b : bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %term_init = tensor.empty() : tensor<4x8xf32>
  %term = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<4x8xbf16>) outs(%term_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %sum_zero = arith.constant 0.0 : f32
  %sum_empty = tensor.empty() : tensor<8xf32>
  %sum_init = linalg.fill ins(%sum_zero : f32) outs(%sum_empty : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #col], iterator_types = ["reduction", "parallel"]}
      ins(%term : tensor<4x8xf32>) outs(%sum_init : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %dw_init = tensor.empty() : tensor<8xbf16>
  %dw = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]}
      ins(%sum : tensor<8xf32>) outs(%dw_init : tensor<8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %v = arith.truncf %a : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<8xbf16>
  return %dw : tensor<8xbf16>
}

// With a sum of f32 the op would form dy * z in f32.
// CHECK-LABEL: func.func @wide_sum(
// CHECK-NOT: norm.rmsnorm_backward
// REMARK-DAG: (rounding-not-representable): expected (dy * round<bf16>((r * x))), found round<bf16>((dy * round<bf16>((r * x)))
// RELAXED-LABEL: func.func @wide_sum(
// RELAXED: norm.rmsnorm_backward {{.*}} dw(%{{.*}} : tensor<8xf32>)
func.func @wide_sum(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %r: tensor<4xf32>) -> tensor<8xf32> {
  %wide_init = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%wide_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %scaled_init = tensor.empty() : tensor<4x8xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%scaled_init : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %z_init = tensor.empty() : tensor<4x8xbf16>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled : tensor<4x8xf32>) outs(%z_init : tensor<4x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %v = arith.truncf %a : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %product_init = tensor.empty() : tensor<4x8xbf16>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %z : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%product_init : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %v = arith.mulf %a, %b : bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %term_init = tensor.empty() : tensor<4x8xf32>
  %term = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<4x8xbf16>) outs(%term_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %sum_zero = arith.constant 0.0 : f32
  %sum_empty = tensor.empty() : tensor<8xf32>
  %sum_init = linalg.fill ins(%sum_zero : f32) outs(%sum_empty : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #col], iterator_types = ["reduction", "parallel"]}
      ins(%term : tensor<4x8xf32>) outs(%sum_init : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// dy * x is rounded before the root scales it.
// CHECK-LABEL: func.func @before_root(
// CHECK-NOT: norm.rmsnorm_backward
func.func @before_root(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %r: tensor<4xf32>) -> tensor<8xf32> {
  %product_init = tensor.empty() : tensor<4x8xbf16>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%product_init : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %v = arith.mulf %a, %b : bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %wide_init = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<4x8xbf16>) outs(%wide_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %term_init = tensor.empty() : tensor<4x8xf32>
  %term = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%term_init : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %sum_zero = arith.constant 0.0 : f32
  %sum_empty = tensor.empty() : tensor<8xf32>
  %sum_init = linalg.fill ins(%sum_zero : f32) outs(%sum_empty : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #col], iterator_types = ["reduction", "parallel"]}
      ins(%term : tensor<4x8xf32>) outs(%sum_init : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// The product below the sum of a projection is rounded.
// CHECK-LABEL: func.func @projection(
// CHECK-NOT: norm.rmsnorm_backward
// REMARK-DAG: (different-tensor): the projection does not sum x times the gradient that r scales
func.func @projection(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %r: tensor<4xf32>) -> tensor<4x8xf32> {
  %product_init = tensor.empty() : tensor<4x8xbf16>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%product_init : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %v = arith.mulf %a, %b : bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %term_init = tensor.empty() : tensor<4x8xf32>
  %term = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<4x8xbf16>) outs(%term_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %sum_zero = arith.constant 0.0 : f32
  %sum_empty = tensor.empty() : tensor<4xf32>
  %sum_init = linalg.fill ins(%sum_zero : f32) outs(%sum_empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%term : tensor<4x8xf32>) outs(%sum_init : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %wide_init = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%wide_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %wide_dy_init = tensor.empty() : tensor<4x8xf32>
  %wide_dy = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy : tensor<4x8xbf16>) outs(%wide_dy_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %dx_init = tensor.empty() : tensor<4x8xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%wide_dy, %wide, %r, %sum : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) outs(%dx_init : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %out: f32):
    %n = arith.constant 8.0 : f32
    %direct = arith.mulf %a, %c : f32
    %c2 = arith.mulf %c, %c : f32
    %c3 = arith.mulf %c2, %c : f32
    %mean = arith.divf %d, %n : f32
    %scale = arith.mulf %c3, %mean : f32
    %projected = arith.mulf %b, %scale : f32
    %v = arith.subf %direct, %projected : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// x * r is formed in bf16, and dy * z in f32.
// CHECK-LABEL: func.func @narrow_root(
// CHECK: norm.rmsnorm_backward {{.*}} dw(%{{.*}} : tensor<8xf32>) {{.*}} compute_type = bf16 ->
func.func @narrow_root(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %r: tensor<4xbf16>) -> tensor<8xf32> {
  %z_init = tensor.empty() : tensor<4x8xbf16>
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x8xbf16>, tensor<4xbf16>) outs(%z_init : tensor<4x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %v = arith.mulf %a, %b : bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  %wide_init = tensor.empty() : tensor<4x8xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<4x8xbf16>) outs(%wide_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %wide_dy_init = tensor.empty() : tensor<4x8xf32>
  %wide_dy = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy : tensor<4x8xbf16>) outs(%wide_dy_init : tensor<4x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %term_init = tensor.empty() : tensor<4x8xf32>
  %term = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %wide_dy : tensor<4x8xf32>, tensor<4x8xf32>) outs(%term_init : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %sum_zero = arith.constant 0.0 : f32
  %sum_empty = tensor.empty() : tensor<8xf32>
  %sum_init = linalg.fill ins(%sum_zero : f32) outs(%sum_empty : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #col], iterator_types = ["reduction", "parallel"]}
      ins(%term : tensor<4x8xf32>) outs(%sum_init : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// RUN: norm-opt %s --norm-recognize='rounding=exact' | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: norm-opt %s --norm-recognize | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: norm-opt %s --norm-recognize='rounding=relaxed' | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: norm-opt %s --norm-recognize='rounding=exact' '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY-EXACT
// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY-DEFAULT
// RUN: not norm-opt %s --norm-recognize='rounding=fast' 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: for the --rounding option: Cannot find option named 'fast'

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// x / sqrt(sum / n + eps): every mode takes it; exact keeps the division.

// CHECK-LABEL: func.func @as_the_op
// CHECK: norm.rmsnorm ins(
// EXACT-SAME: root_form = quotient
// DEFAULT-NOT: root_form
// RELAXED-NOT: root_form
// CHECK: return
func.func @as_the_op(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xf32>, tensor<4xf32>) outs(%e2 : tensor<4x6xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.sqrt %m : f32
    %z = arith.divf %in, %root : f32
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// rsqrt and a product with the rounded 1/6 differ in their last bits.

// CHECK-LABEL: func.func @last_bits
// EXACT-NOT: norm.rmsnorm
// DEFAULT: norm.rmsnorm ins(
// RELAXED: norm.rmsnorm ins(
// WHY-EXACT: (rounding-not-exact): rounding=exact: expected ((1 / sqrt(((sum{d1}((x * x)) / 6) + e))) * x), found (rsqrt(((0.166666672 * sum{d1}((x * x))) + e)) * x)
func.func @last_bits(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 0.16666667163372040 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xf32>, tensor<4xf32>) outs(%e2 : tensor<4x6xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.mulf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// The f32 sum is divided before it is rounded to bf16, once, as jnp.mean does:
// sum_type, in every mode.

// CHECK-LABEL: func.func @mean_rounded_once
// CHECK: norm.rmsnorm ins(
// CHECK-SAME: root_form = quotient compute_type = bf16 sum_type = f32
// CHECK: return
func.func @mean_rounded_once(%x: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-6 : bf16
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xbf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: bf16, %acc: f32):
    %square = arith.mulf %in, %in : bf16
    %wide = arith.extf %square : bf16 to f32
    %next = arith.addf %wide, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xbf16>, tensor<4xf32>) outs(%e2 : tensor<4x6xbf16>) {
  ^bb0(%in: bf16, %s: f32, %out: bf16):
    %wide = arith.divf %s, %n : f32
    %mean = arith.truncf %wide : f32 to bf16
    %m = arith.addf %mean, %eps : bf16
    %root = math.sqrt %m : bf16
    %z = arith.divf %in, %root : bf16
    linalg.yield %z : bf16
  } -> tensor<4x6xbf16>
  return %y : tensor<4x6xbf16>
}

// Here the squares are not rounded to bf16 either, which the op does (S2). What
// is relaxed is the statistic, now in f32 as a whole; x / root is rounded to bf16
// once, as before.

// CHECK-LABEL: func.func @squares_in_f32
// EXACT-NOT: norm.rmsnorm
// DEFAULT-NOT: norm.rmsnorm
// RELAXED: norm.rmsnorm ins(
// RELAXED-NOT: _type
// CHECK: return
// WHY-DEFAULT: (rounding-not-representable): expected round<bf16>((x / round<bf16>(sqrt(round<bf16>((e + round<bf16>((sum{d1}(round<bf16>((x * x))) / 6)))))))), found round<bf16>((x / round<bf16>(sqrt(round<bf16>((e + round<bf16>((sum{d1}((x * x)) / 6)))))))); rounding=relaxed computes it in f32 instead
func.func @squares_in_f32(%x: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-6 : bf16
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xbf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: bf16, %acc: f32):
    %wide = arith.extf %in : bf16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xbf16>, tensor<4xf32>) outs(%e2 : tensor<4x6xbf16>) {
  ^bb0(%in: bf16, %s: f32, %out: bf16):
    %wide = arith.divf %s, %n : f32
    %mean = arith.truncf %wide : f32 to bf16
    %m = arith.addf %mean, %eps : bf16
    %root = math.sqrt %m : bf16
    %z = arith.divf %in, %root : bf16
    linalg.yield %z : bf16
  } -> tensor<4x6xbf16>
  return %y : tensor<4x6xbf16>
}

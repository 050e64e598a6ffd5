// RUN: norm-opt %s --norm-recognize='rounding=relaxed' | FileCheck %s
// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s --check-prefix=DEFAULT --input-file=%t

// The statistic alone gains precision: roundings of r and z stay, whether they
// are casts (scale_type, normalized_type) or 16-bit arithmetic.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// f16 squares under f32 statistics: above 255 they are infinite, in f32 they are not.

// CHECK-LABEL: func.func @squares(
// DEFAULT-LABEL: func.func @squares(
// CHECK: norm.rmsnorm ins(
// CHECK-NOT: _type
// CHECK: return
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected round<f16>(((1 / sqrt(((sum{d1}((x * x)) / 6) + e))) * x)), found round<f16>((rsqrt(((sum{d1}(round<f16>((x * x))) / 6) + e)) * x)); rounding=relaxed computes it in f32 instead
func.func @squares(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %square = arith.mulf %in, %in : f16
    %wide = arith.extf %square : f16 to f32
    %next = arith.addf %wide, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xf16>, tensor<4xf32>) outs(%e2 : tensor<4x6xf16>) {
  ^bb0(%in: f16, %s: f32, %out: f16):
    %wide = arith.extf %in : f16 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %wide, %r : f32
    %y16 = arith.truncf %z : f32 to f16
    linalg.yield %y16 : f16
  } -> tensor<4x6xf16>
  return %y : tensor<4x6xf16>
}

// The same with a cast of the square.

// CHECK-LABEL: func.func @squares_cast(
// DEFAULT-LABEL: func.func @squares_cast(
// CHECK: norm.rmsnorm ins(
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected ((1 / sqrt(((sum{d1}((x * x)) / 6) + e))) * x), found (x / sqrt(((sum{d1}(round<bf16>((x * x))) / 6) + e))); rounding=relaxed computes it in f32 instead
func.func @squares_cast(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %narrow = arith.truncf %square : f32 to bf16
    %wide = arith.extf %narrow : bf16 to f32
    %next = arith.addf %wide, %acc : f32
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

// x is rounded for the statistic alone.

// CHECK-LABEL: func.func @x_for_statistic(
// DEFAULT-LABEL: func.func @x_for_statistic(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x6xf32>)
// CHECK-NOT: _type
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected ((1 / sqrt(((sum{d1}((x * x)) / 6) + e))) * x), found (rsqrt(((sum{d1}((round<f16>(x) * round<f16>(x))) / 6) + e)) * x); rounding=relaxed computes it in f32 instead
func.func @x_for_statistic(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %narrow = arith.truncf %in : f32 to f16
    %wide = arith.extf %narrow : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xf32>, tensor<4xf32>) outs(%e2 : tensor<4x6xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// The f32 mean is rounded to f16 and widened again.

// CHECK-LABEL: func.func @mean(
// DEFAULT-LABEL: func.func @mean(
// CHECK: norm.rmsnorm ins(
// CHECK-NOT: _type
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected round<f16>((((1 / sqrt(((sum{d1}((x * x)) / 6) + e))) * x) * w)), found round<f16>(((rsqrt((e + round<f16>((sum{d1}((x * x)) / 6)))) * x) * w)); rounding=relaxed computes it in f32 instead
func.func @mean(%x: tensor<4x6xf16>, %w: tensor<6xf32>) -> tensor<4x6xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x6xf16>, tensor<4xf32>, tensor<6xf32>) outs(%e2 : tensor<4x6xf16>) {
  ^bb0(%in: f16, %s: f32, %g: f32, %out: f16):
    %wide = arith.extf %in : f16 to f32
    %mean = arith.divf %s, %n : f32
    %narrow = arith.truncf %mean : f32 to f16
    %again = arith.extf %narrow : f16 to f32
    %m = arith.addf %again, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %wide, %r : f32
    %v = arith.mulf %z, %g : f32
    %y16 = arith.truncf %v : f32 to f16
    linalg.yield %y16 : f16
  } -> tensor<4x6xf16>
  return %y : tensor<4x6xf16>
}

// All of the statistic in f16 under f32 scaling: r stays an f16 value.

// CHECK-LABEL: func.func @statistic(
// DEFAULT-LABEL: func.func @statistic(
// CHECK: norm.rmsnorm ins({{.*}} scale_type = f16 ->
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected ((round<f16>((1 / sqrt(((sum{d1}((x * x)) / 6) + e)))) * x) * w), found ((round<f16>(rsqrt(round<f16>((e + round<f16>((round<f16>(sum{d1}(round<f16>((x * x)))) / 6)))))) * x) * w); rounding=relaxed computes it in f32 instead
func.func @statistic(%x: tensor<4x6xf16>, %w: tensor<6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f16
  %n = arith.constant 6.0 : f16
  %eps = arith.constant 1.0e-3 : f16
  %e1 = tensor.empty() : tensor<4xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e1 : tensor<4xf16>) -> tensor<4xf16>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%in: f16, %acc: f16):
    %square = arith.mulf %in, %in : f16
    %next = arith.addf %square, %acc : f16
    linalg.yield %next : f16
  } -> tensor<4xf16>
  %e2 = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x6xf16>, tensor<4xf16>, tensor<6xf32>) outs(%e2 : tensor<4x6xf32>) {
  ^bb0(%in: f16, %s: f16, %g: f32, %out: f32):
    %mean = arith.divf %s, %n : f16
    %m = arith.addf %mean, %eps : f16
    %r = math.rsqrt %m : f16
    %wide = arith.extf %in : f16 to f32
    %rwide = arith.extf %r : f16 to f32
    %z = arith.mulf %wide, %rwide : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// The root is rounded before its reciprocal.

// CHECK-LABEL: func.func @root_then_narrow(
// DEFAULT-LABEL: func.func @root_then_narrow(
// CHECK: norm.rmsnorm ins({{.*}} normalized_type = bf16 ->
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected round<bf16>((round<bf16>(((1 / sqrt(((sum{d1}((x * x)) / 6) + e))) * x)) * w)), found round<bf16>((round<bf16>((x / round<bf16>(sqrt(((sum{d1}((x * x)) / 6) + e))))) * w)); rounding=relaxed computes it in f32 instead
func.func @root_then_narrow(%x: tensor<4x6xbf16>, %w: tensor<6xbf16>) -> tensor<4x6xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
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
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x6xbf16>, tensor<4xf32>, tensor<6xbf16>) outs(%e2 : tensor<4x6xbf16>) {
  ^bb0(%in: bf16, %s: f32, %g: bf16, %out: bf16):
    %wide = arith.extf %in : bf16 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.sqrt %m : f32
    %narrow = arith.truncf %root : f32 to bf16
    %again = arith.extf %narrow : bf16 to f32
    %z = arith.divf %wide, %again : f32
    %z16 = arith.truncf %z : f32 to bf16
    %v = arith.mulf %z16, %g : bf16
    linalg.yield %v : bf16
  } -> tensor<4x6xbf16>
  return %y : tensor<4x6xbf16>
}

// f16 arithmetic but for the squares and their sum: the roundings of r, of z
// and of the product with w stay.

// CHECK-LABEL: func.func @sixteen_bits(
// DEFAULT-LABEL: func.func @sixteen_bits(
// CHECK: norm.rmsnorm ins({{.*}} scale_type = f16 normalized_type = f16 ->
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected round<f16>((round<f16>((round<f16>((1 / sqrt(round<f16>((e + round<f16>((sum{d1}(round<f16>((x * x))) / 6))))))) * x)) * w)), found round<f16>((round<f16>((round<f16>(rsqrt(round<f16>((e + round<f16>((sum{d1}((x * x)) / 6)))))) * x)) * w)); rounding=relaxed computes it in f32 instead
func.func @sixteen_bits(%x: tensor<4x6xf16>, %w: tensor<6xf16>) -> tensor<4x6xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f16
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x6xf16>, tensor<4xf32>, tensor<6xf16>) outs(%e2 : tensor<4x6xf16>) {
  ^bb0(%in: f16, %s: f32, %g: f16, %out: f16):
    %wide = arith.divf %s, %n : f32
    %mean = arith.truncf %wide : f32 to f16
    %m = arith.addf %mean, %eps : f16
    %r = math.rsqrt %m : f16
    %z = arith.mulf %in, %r : f16
    %v = arith.mulf %z, %g : f16
    linalg.yield %v : f16
  } -> tensor<4x6xf16>
  return %y : tensor<4x6xf16>
}

// All in f16 is compute_type = f16: nothing is raised, in any mode.

// CHECK-LABEL: func.func @all_in_f16(
// DEFAULT-LABEL: func.func @all_in_f16(
// CHECK: norm.rmsnorm ins({{.*}} compute_type = f16 ->
// DEFAULT: norm.rmsnorm ins({{.*}} compute_type = f16 ->
func.func @all_in_f16(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %zero = arith.constant 0.0 : f16
  %n = arith.constant 6.0 : f16
  %eps = arith.constant 1.0e-3 : f16
  %e1 = tensor.empty() : tensor<4xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e1 : tensor<4xf16>) -> tensor<4xf16>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%in: f16, %acc: f16):
    %square = arith.mulf %in, %in : f16
    %next = arith.addf %square, %acc : f16
    linalg.yield %next : f16
  } -> tensor<4xf16>
  %e2 = tensor.empty() : tensor<4x6xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x6xf16>, tensor<4xf16>) outs(%e2 : tensor<4x6xf16>) {
  ^bb0(%in: f16, %s: f16, %out: f16):
    %mean = arith.divf %s, %n : f16
    %m = arith.addf %mean, %eps : f16
    %root = math.sqrt %m : f16
    %z = arith.divf %in, %root : f16
    linalg.yield %z : f16
  } -> tensor<4x6xf16>
  return %y : tensor<4x6xf16>
}

// Below 16 bits a rounding is meant: no mode drops it.

// CHECK-LABEL: func.func @quantized(
// DEFAULT-LABEL: func.func @quantized(
// CHECK-NOT: norm.rmsnorm
// DEFAULT-NOT: norm.rmsnorm
// WHY: (rounding-not-representable): expected arithmetic in f16, bf16, f32 or f64, found f8E5M2"
func.func @quantized(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
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
    %narrow = arith.truncf %mean : f32 to f8E5M2
    %again = arith.extf %narrow : f8E5M2 to f32
    %m = arith.addf %again, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// 70000 is infinite in f16: the program has no mean to be raised.

// CHECK-LABEL: func.func @count_is_infinite(
// DEFAULT-LABEL: func.func @count_is_infinite(
// CHECK-NOT: norm.rmsnorm
// DEFAULT-NOT: norm.rmsnorm
// WHY: (wrong-divisor): sum over dims [1] has 70000 terms but is divided by +Inf"
func.func @count_is_infinite(%x: tensor<4x70000xf16>) -> tensor<4x70000xf32> {
  %zero = arith.constant 0.0 : f16
  %n = arith.constant 0x7C00 : f16
  %eps = arith.constant 1.0e-3 : f16
  %e1 = tensor.empty() : tensor<4xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e1 : tensor<4xf16>) -> tensor<4xf16>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x70000xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%in: f16, %acc: f16):
    %square = arith.mulf %in, %in : f16
    %next = arith.addf %square, %acc : f16
    linalg.yield %next : f16
  } -> tensor<4xf16>
  %e2 = tensor.empty() : tensor<4x70000xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x70000xf16>, tensor<4xf16>) outs(%e2 : tensor<4x70000xf32>) {
  ^bb0(%in: f16, %s: f16, %out: f32):
    %mean = arith.divf %s, %n : f16
    %m = arith.addf %mean, %eps : f16
    %r = math.rsqrt %m : f16
    %wide = arith.extf %in : f16 to f32
    %rwide = arith.extf %r : f16 to f32
    %z = arith.mulf %wide, %rwide : f32
    linalg.yield %z : f32
  } -> tensor<4x70000xf32>
  return %y : tensor<4x70000xf32>
}

// The rounded x is what is scaled: its rounding is no part of the statistic.

// CHECK-LABEL: func.func @x_rounded_where_scaled(
// DEFAULT-LABEL: func.func @x_rounded_where_scaled(
// CHECK-NOT: norm.rmsnorm
// DEFAULT-NOT: norm.rmsnorm
// WHY: (different-tensor)
func.func @x_rounded_where_scaled(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-3 : f32
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
    %narrow = arith.truncf %in : f32 to f16
    %wide = arith.extf %narrow : f16 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %wide, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}


// RUN: norm-opt %s --norm-recognize | FileCheck %s

// The rounded z times the weight by way of f32: the product of two f16 values is
// exact there, so one rounding behind it is that of a product in f16.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// In the body of the norm.

// CHECK-LABEL: func.func @in_body
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf16>, tensor<32xf16>)
// CHECK-SAME: normalized_type = f16 -> tensor<4x32xf16>
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @in_body(%x: tensor<4x32xf16>, %w: tensor<32xf16>) -> tensor<4x32xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x32xf16>, tensor<4xf32>, tensor<32xf16>) outs(%e : tensor<4x32xf16>) {
  ^bb0(%in: f16, %s: f32, %g: f16, %out: f16):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %wide = arith.extf %in : f16 to f32
    %z = arith.mulf %wide, %r : f32
    %narrow = arith.truncf %z : f32 to f16
    %left = arith.extf %narrow : f16 to f32
    %right = arith.extf %g : f16 to f32
    %v = arith.mulf %left, %right : f32
    %o = arith.truncf %v : f32 to f16
    linalg.yield %o : f16
  } -> tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}

// An op of its own in f32, whose result another one rounds and adds to.

// CHECK-LABEL: func.func @in_ops
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf16>, tensor<32xf16>)
// CHECK-SAME: normalized_type = f16 -> tensor<4x32xf16>
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %arg2 :
// CHECK-NOT: mulf
// CHECK: return
func.func @in_ops(%x: tensor<4x32xf16>, %w: tensor<32xf16>, %bias: tensor<32xf16>) -> tensor<4x32xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf16>
  %scaled = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf16>, tensor<4xf32>) outs(%e : tensor<4x32xf16>) {
  ^bb0(%in: f16, %s: f32, %out: f16):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %wide = arith.extf %in : f16 to f32
    %z = arith.mulf %wide, %r : f32
    %narrow = arith.truncf %z : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<4x32xf16>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %weighted = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %w : tensor<4x32xf16>, tensor<32xf16>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%narrow: f16, %g: f16, %out: f32):
    %left = arith.extf %narrow : f16 to f32
    %right = arith.extf %g : f16 to f32
    %v = arith.mulf %left, %right : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%weighted, %bias : tensor<4x32xf32>, tensor<32xf16>) outs(%e : tensor<4x32xf16>) {
  ^bb0(%v: f32, %add: f16, %out: f16):
    %o = arith.truncf %v : f32 to f16
    %o2 = arith.addf %o, %add : f16
    linalg.yield %o2 : f16
  } -> tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}

// The product stays in f32: the weight is one of f32.

// CHECK-LABEL: func.func @stays_wide
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<32xf16>) outs({{.*}} : tensor<32xf32>)
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%arg0, %[[W]] : tensor<4x32xf16>, tensor<32xf32>)
// CHECK-SAME: normalized_type = f16 -> tensor<4x32xf32>
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @stays_wide(%x: tensor<4x32xf16>, %w: tensor<32xf16>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf16>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x32xf16>, tensor<4xf32>, tensor<32xf16>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f16, %s: f32, %g: f16, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %wide = arith.extf %in : f16 to f32
    %z = arith.mulf %wide, %r : f32
    %narrow = arith.truncf %z : f32 to f16
    %left = arith.extf %narrow : f16 to f32
    %right = arith.extf %g : f16 to f32
    %v = arith.mulf %left, %right : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

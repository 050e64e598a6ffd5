// RUN: norm-opt %s --norm-recognize | FileCheck %s

// Of several weights one is the norm's own where a value of the program has it alone;
// else their product is, computed over the row alone.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @in_turn(
// CHECK: %[[Z:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Z]], %arg2 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
func.func @in_turn(%x: tensor<4x32xf32>, %w0: tensor<32xf32>, %w1: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w0, %w1 : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %a: f32, %b: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z0 = arith.mulf %in, %r : f32
    %z1 = arith.mulf %z0, %a : f32
    %z = arith.mulf %z1, %b : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @on_the_root(
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1, %arg2 : tensor<32xf32>, tensor<32xf32>)
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: norm.rmsnorm ins(%arg0, %[[W]] : tensor<4x32xf32>, tensor<32xf32>)
func.func @on_the_root(%x: tensor<4x32xf32>, %w0: tensor<32xf32>, %w1: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w0, %w1 : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %a: f32, %b: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %r1 = arith.mulf %r, %a : f32
    %r2 = arith.mulf %r1, %b : f32
    %z = arith.mulf %in, %r2 : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @on_x_and_root(
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1, %arg2 : tensor<32xf32>, tensor<32xf32>)
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: norm.rmsnorm ins(%arg0, %[[W]] : tensor<4x32xf32>, tensor<32xf32>)
func.func @on_x_and_root(%x: tensor<4x32xf32>, %w0: tensor<32xf32>, %w1: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w0, %w1 : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %a: f32, %b: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %x1 = arith.mulf %a, %in : f32
    %r2 = arith.mulf %r, %b : f32
    %z = arith.mulf %x1, %r2 : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// CHECK-LABEL: func.func @with_a_scalar(
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<32xf32>)
// CHECK: arith.mulf
// CHECK: norm.rmsnorm ins(%arg0, %[[W]] : tensor<4x32xf32>, tensor<32xf32>)
func.func @with_a_scalar(%x: tensor<4x32xf32>, %w0: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w0 : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %a: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %half = arith.constant 5.0e-1 : f32
    %r = math.rsqrt %m : f32
    %r1 = arith.mulf %r, %a : f32
    %r2 = arith.mulf %r1, %half : f32
    %z = arith.mulf %in, %r2 : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

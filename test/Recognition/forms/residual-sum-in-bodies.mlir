// RUN: norm-opt %s --norm-recognize | FileCheck %s

// x = a + b is computed by every body that needs it, and no tensor holds it.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#swap_all = affine_map<(d0, d1) -> (d1, d0)>
#swap_row = affine_map<(d0, d1) -> (d1)>

// The weight is an op of its own behind: x becomes one.

// CHECK-LABEL: func.func @weight_behind
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X]], %arg2 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @weight_behind(%a: tensor<4x32xf32>, %b: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x32xf32>, tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %x = arith.addf %in0, %in1 : f32
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %scaled = linalg.generic {indexing_maps = [#swap_all, #swap_all, #swap_row, #swap_all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %sum : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %x = arith.addf %in0, %in1 : f32
    %z = arith.mulf %x, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %w : tensor<4x32xf32>, tensor<32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%z: f32, %g: f32, %out: f32):
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The weight multiplies first, in the body that computes x.

// CHECK-LABEL: func.func @weight_first
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X]], %arg2 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @weight_first(%a: tensor<4x32xf32>, %b: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x32xf32>, tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %x = arith.addf %in0, %in1 : f32
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %weighted = linalg.generic {indexing_maps = [#all, #all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %w : tensor<4x32xf32>, tensor<4x32xf32>, tensor<32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %g: f32, %out: f32):
    %x = arith.addf %in0, %in1 : f32
    %v = arith.mulf %x, %g : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%weighted, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %o = arith.mulf %v, %r : f32
    linalg.yield %o : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The normalized extent is dynamic: that of the terms is that of x.

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: norm.rmsnorm ins(%[[X]] : tensor<4x?xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @dynamic(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %one = arith.constant 1 : index
  %d = tensor.dim %a, %one : tensor<4x?xf32>
  %int = arith.index_cast %d : index to i64
  %n = arith.sitofp %int : i64 to f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %x = arith.addf %in0, %in1 : f32
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e = tensor.empty(%d) : tensor<4x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %sum : tensor<4x?xf32>, tensor<4x?xf32>, tensor<4xf32>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %x = arith.addf %in0, %in1 : f32
    %z = arith.mulf %x, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// A tensor does hold it, for another use: that one is x.

// CHECK-LABEL: func.func @held
// CHECK: %[[X:.*]] = linalg.add ins(%arg0, %arg1 :
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X]] : tensor<4x32xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]], %[[X]]
func.func @held(%a: tensor<4x32xf32>, %b: tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %h = linalg.add ins(%a, %b : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x32xf32>, tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %x = arith.addf %in0, %in1 : f32
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %sum : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %x = arith.addf %in0, %in1 : f32
    %z = arith.mulf %x, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y, %h : tensor<4x32xf32>, tensor<4x32xf32>
}

// Only the statistic reads it from a tensor.

// CHECK-LABEL: func.func @held_in_sum
// CHECK: %[[X:.*]] = linalg.add ins(%arg0, %arg1 :
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X]] : tensor<4x32xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @held_in_sum(%a: tensor<4x32xf32>, %b: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x32xf32>
  %h = linalg.add ins(%a, %b : tensor<4x32xf32>, tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %sum : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %x = arith.addf %in0, %in1 : f32
    %z = arith.mulf %x, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

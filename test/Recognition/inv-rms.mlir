// RUN: norm-opt %s --norm-recognize | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#keep = affine_map<(d0, d1) -> (d0, 0)>

// S8: r is returned too, with the unit dimension that the program keeps.

// CHECK-LABEL: func.func @returned
// CHECK: %[[Y:.*]]:2 = norm.rmsnorm ins(%{{.*}} : tensor<4x32xf32>) outs({{.*}} : tensor<4x32xf32>, tensor<4xf32>) dims = [1]
// CHECK: %[[R:.*]] = tensor.expand_shape %[[Y]]#1 {{.*}} : tensor<4xf32> into tensor<4x1xf32>
// CHECK-NOT: math.rsqrt
// CHECK: return %[[Y]]#0, %[[R]]
func.func @returned(%x: tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x1xf32>) -> tensor<4x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #keep], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4x1xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4x1xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<4x1xf32>) outs(%e1 : tensor<4x1xf32>) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  } -> tensor<4x1xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #keep, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x32xf32>, tensor<4x1xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %z = arith.mulf %in, %s : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y, %r : tensor<4x32xf32>, tensor<4x1xf32>
}

// A user before the norm's own place: the norm goes in front of it.

// CHECK-LABEL: func.func @used_before
// CHECK: %[[Y:.*]]:2 = norm.rmsnorm ins({{.*}} : tensor<4x32xbf16>, tensor<32xf32>) outs({{.*}} : tensor<4x32xf32>, tensor<4xf32>) dims = [1]
// CHECK-NOT: math.rsqrt
// CHECK: %[[D:.*]] = linalg.negf ins(%[[Y]]#1 : tensor<4xf32>)
// CHECK-NOT: norm.rmsnorm
// CHECK: return %[[Y]]#0, %[[D]]
func.func @used_before(%x: tensor<4x32xbf16>, %w: tensor<32xf32>) -> (tensor<4x32xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xbf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: bf16, %acc: f32):
    %wide = arith.extf %in : bf16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %d = linalg.negf ins(%r : tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, affine_map<(d0, d1) -> (d1)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %w : tensor<4x32xbf16>, tensor<4xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: bf16, %s: f32, %g: f32, %out: f32):
    %wide = arith.extf %in : bf16 to f32
    %z = arith.mulf %wide, %s : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  return %y, %d : tensor<4x32xf32>, tensor<4xf32>
}

// 1/sqrt(sum) is not r but for the factor sqrt(n): its ops stay.

// CHECK-LABEL: func.func @another_value
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: %[[R:.*]] = linalg.generic
// CHECK: math.rsqrt
// CHECK: %[[Y:.*]] = norm.rmsnorm ins({{.*}} : tensor<4x64xf32>) outs({{.*}} : tensor<4x64xf32>) dims = [1]
// CHECK: return %[[Y]], %[[R]]
func.func @another_value(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %root_of_n = arith.constant 8.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%s: f32, %out: f32):
    %root = math.rsqrt %s : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x64xf32>, tensor<4xf32>) outs(%e2 : tensor<4x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %z = arith.mulf %in, %s : f32
    %v = arith.mulf %z, %root_of_n : f32
    linalg.yield %v : f32
  } -> tensor<4x64xf32>
  return %y, %r : tensor<4x64xf32>, tensor<4xf32>
}

// Each value that is dx is found, wherever it stands among the values that
// depend on its sum: behind twenty others, and beside another dx.
// RUN: norm-opt %s --norm-recognize | FileCheck %s

#one = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @behind_others(
// CHECK-COUNT-1: norm.rmsnorm_backward ins(%arg0, %arg1
// CHECK-NOT: norm.rmsnorm_backward
func.func @behind_others(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %dot = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%d: f32, %in: f32, %acc: f32):
    %term = arith.mulf %d, %in : f32
    %next = arith.addf %term, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %other = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dot, %x : tensor<4xf32>, tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%p: f32, %in: f32, %out: f32):
    %t0 = arith.addf %p, %in : f32
    %t1 = arith.addf %t0, %in : f32
    %t2 = arith.addf %t1, %in : f32
    %t3 = arith.addf %t2, %in : f32
    %t4 = arith.addf %t3, %in : f32
    %t5 = arith.addf %t4, %in : f32
    %t6 = arith.addf %t5, %in : f32
    %t7 = arith.addf %t6, %in : f32
    %t8 = arith.addf %t7, %in : f32
    %t9 = arith.addf %t8, %in : f32
    %t10 = arith.addf %t9, %in : f32
    %t11 = arith.addf %t10, %in : f32
    %t12 = arith.addf %t11, %in : f32
    %t13 = arith.addf %t12, %in : f32
    %t14 = arith.addf %t13, %in : f32
    %t15 = arith.addf %t14, %in : f32
    %t16 = arith.addf %t15, %in : f32
    %t17 = arith.addf %t16, %in : f32
    %t18 = arith.addf %t17, %in : f32
    %t19 = arith.addf %t18, %in : f32
    linalg.yield %t19 : f32
  } -> tensor<4x8xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x, %r, %dot : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%d: f32, %in: f32, %s: f32, %p: f32, %out: f32):
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %direct = arith.mulf %d, %s : f32
    %mean = arith.divf %p, %n : f32
    %scaled = arith.mulf %s3, %mean : f32
    %along = arith.mulf %in, %scaled : f32
    %g = arith.subf %direct, %along : f32
    linalg.yield %g : f32
  } -> tensor<4x8xf32>
  return %dx, %other : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @two(
// CHECK-COUNT-2: norm.rmsnorm_backward ins(%arg0, %arg1
// CHECK-NOT: norm.rmsnorm_backward
func.func @two(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %dot = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%d: f32, %in: f32, %acc: f32):
    %term = arith.mulf %d, %in : f32
    %next = arith.addf %term, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x, %r, %dot : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%d: f32, %in: f32, %s: f32, %p: f32, %out: f32):
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %direct = arith.mulf %d, %s : f32
    %mean = arith.divf %p, %n : f32
    %scaled = arith.mulf %s3, %mean : f32
    %along = arith.mulf %in, %scaled : f32
    %g = arith.subf %direct, %along : f32
    linalg.yield %g : f32
  } -> tensor<4x8xf32>
  %other = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x, %r, %dot : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%d: f32, %in: f32, %s: f32, %p: f32, %out: f32):
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %direct = arith.mulf %d, %s : f32
    %mean = arith.divf %p, %n : f32
    %scaled = arith.mulf %s3, %mean : f32
    %along = arith.mulf %in, %scaled : f32
    %g = arith.subf %direct, %along : f32
    linalg.yield %g : f32
  } -> tensor<4x8xf32>
  return %dx, %other : tensor<4x8xf32>, tensor<4x8xf32>
}

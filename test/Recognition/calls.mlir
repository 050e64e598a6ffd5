// RUN: norm-opt %s --split-input-file --norm-recognize --mlir-print-local-scope | FileCheck %s
// RUN: norm-opt %s --split-input-file --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// The sum of squares in a private function, as jnp.linalg.norm: one remark, and the
// function goes with its last call.

// REMARK: remark: {{.*}}found RMSNorm over dims [1]
// CHECK-LABEL: func.func @main(
// CHECK-NOT: call
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x8xf32>)
// CHECK-NOT: func.func
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %n = arith.constant 8.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %sum = call @sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %mean = arith.divf %s, %n : f32
      %m = arith.addf %mean, %eps : f32
      %r = math.rsqrt %m : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
  func.func private @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %squares = func.call @square(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %sum = linalg.reduce { arith.addf } ins(%squares : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
    return %sum : tensor<4xf32>
  }
  func.func private @square(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.square ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
}

// -----

// Called by two: both find their norm. A third, which is none, keeps its call.

// REMARK: remark: {{.*}}found RMSNorm over dims [1]
// REMARK: remark: {{.*}}found RMSNorm over dims [1]
// CHECK-LABEL: func.func @twice(
// CHECK-NOT: call
// CHECK-COUNT-2: norm.rmsnorm
// CHECK-LABEL: func.func @sum_alone(
// CHECK-NEXT: call @shared(
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @shared(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %n = arith.constant 8.0 : f32
    %s0 = call @shared(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s0 : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %m = arith.divf %s, %n : f32
      %r = math.rsqrt %m : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<4x8xf32>
    %s1 = call @shared(%y) : (tensor<4x8xf32>) -> tensor<4xf32>
    %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%y, %s1 : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %m = arith.divf %s, %n : f32
      %r = math.rsqrt %m : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<4x8xf32>
    return %z : tensor<4x8xf32>
  }
  func.func @sum_alone(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %sum = call @shared(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    return %sum : tensor<4xf32>
  }
  func.func private @shared(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %next = arith.addf %square, %acc : f32
      linalg.yield %next : f32
    } -> tensor<4xf32>
    return %sum : tensor<4xf32>
  }
}

// -----

// A function that is a norm by itself is found there, and stays called.

// REMARK: remark: {{.*}}found RMSNorm over dims [1]
// CHECK-LABEL: func.func @caller(
// CHECK-NEXT: call @norm(
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @norm(
// CHECK: norm.rmsnorm
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @caller(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %y = call @norm(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
  func.func private @norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 8.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %next = arith.addf %square, %acc : f32
      linalg.yield %next : f32
    } -> tensor<4xf32>
    %e2 = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %m = arith.divf %s, %n : f32
      %r = math.rsqrt %m : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
}

// RUN: norm-opt %s --norm-separate-destinations | FileCheck %s

// Each contraction has its own zeros, in its own tensor.
// CHECK-LABEL: func @fill
// CHECK: %[[E0:.*]] = tensor.empty()
// CHECK: %[[F0:.*]] = linalg.fill {{.*}} outs(%[[E0]]
// CHECK: linalg.matmul {{.*}} outs(%[[F0]]
// CHECK: %[[E1:.*]] = tensor.empty()
// CHECK: %[[F1:.*]] = linalg.fill {{.*}} outs(%[[E1]]
// CHECK: linalg.matmul {{.*}} outs(%[[F1]]
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @fill(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// What is read stays one value; what a loop carries is written.
// CHECK-LABEL: func @read_and_carried
// CHECK: %[[E:.*]] = tensor.empty()
// CHECK: %[[F:.*]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK: tensor.extract %[[F]]
// CHECK: %[[OWN:.*]] = linalg.fill
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OWN]])
func.func @read_and_carried(%n: index, %i: index) -> (f32, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %v = tensor.extract %f[%i] : tensor<4xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %f) -> tensor<4xf32> {
    %u = tensor.insert %v into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %v, %r : f32, tensor<4xf32>
}

// What a branch yields and what is a result are in buffers of their own.
// CHECK-LABEL: func @branch_and_result
// CHECK: scf.if
// CHECK: %[[G:.*]] = linalg.fill
// CHECK-NEXT: scf.yield %[[G]]
// CHECK: else
// CHECK: scf.yield %arg0
// CHECK: %[[F:.*]] = linalg.fill
// CHECK-NEXT: bufferization.materialize_in_destination %[[F]] in
func.func @branch_and_result(%x: tensor<4xf32>, %c: i1, %out: memref<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  bufferization.materialize_in_destination %f in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return %r : tensor<4xf32>
}

// Of two branches one runs, so that both write to one buffer.
// CHECK-LABEL: func @two_branches
// CHECK-COUNT-1: tensor.empty
// CHECK-NOT: tensor.empty
// CHECK: scf.if
func.func @two_branches(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    %b = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A kernel has its own, also where nothing else has.
// CHECK-LABEL: func @kernel
// CHECK: scf.forall (%{{.*}}) in (1) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[F:.*]] = linalg.exp ins(%{{.*}}) outs(%[[E]]
// CHECK: linalg.abs ins(%[[F]] : tensor<4xf32>) outs(%[[OUT]]
func.func @kernel(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.forall (%i) in (1) shared_outs(%o = %y) -> tensor<4xf32> {
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.abs ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  return %r : tensor<4xf32>
}

// What starts from equal elements is filled, not copied from memory of that size. A reader keeps the constant.
// CHECK-LABEL: func @constants
// CHECK: %[[CST:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK: %[[E0:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[F0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E0]]
// CHECK: scf.for {{.*}} iter_args(%[[ARG:.*]] = %[[F0]])
// CHECK: %[[F1:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.add ins(%[[ARG]], %[[CST]] : tensor<4xf32>, tensor<4xf32>) outs(%[[F1]]
// CHECK: %[[F2:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: bufferization.materialize_in_destination %[[F2]] in
func.func @constants(%n: index, %out: memref<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %twos = arith.constant dense<2.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %twos) -> (tensor<4xf32>) {
    %s = linalg.add ins(%a, %twos : tensor<4xf32>, tensor<4xf32>) outs(%twos : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  bufferization.materialize_in_destination %twos in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return %r : tensor<4xf32>
}

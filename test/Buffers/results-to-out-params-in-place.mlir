// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(norm-separate-destinations,norm-results-to-out-params)' | FileCheck %s
// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(norm-separate-destinations,norm-results-to-out-params,one-shot-bufferize{allow-return-allocs-from-loops},canonicalize)' | FileCheck %s --check-prefix=BUFFERS

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Two sums from one fill: one each, in the caller's buffers.
// CHECK-LABEL: func @fill
// CHECK: %[[T1:.*]] = bufferization.to_tensor %arg3 restrict writable
// CHECK: %[[T0:.*]] = bufferization.to_tensor %arg2 restrict writable
// CHECK: %[[F0:.*]] = linalg.fill {{.*}} outs(%[[T0]] :
// CHECK: %[[A:.*]] = linalg.generic {{.*}} outs(%[[F0]] :
// CHECK: %[[F1:.*]] = linalg.fill {{.*}} outs(%[[T1]] :
// CHECK: %[[B:.*]] = linalg.generic {{.*}} outs(%[[F1]] :
// CHECK: %[[R0:.*]] = bufferization.materialize_in_destination %[[A]] in %[[T0]]
// CHECK: bufferization.materialize_in_destination %[[R0]] in writable %arg2
// CHECK: %[[R1:.*]] = bufferization.materialize_in_destination %[[B]] in %[[T1]]
// CHECK: bufferization.materialize_in_destination %[[R1]] in writable %arg3
// BUFFERS-LABEL: func @fill
// BUFFERS: linalg.fill {{.*}} outs(%arg2 :
// BUFFERS: linalg.generic {{.*}} outs(%arg2 :
// BUFFERS: linalg.fill {{.*}} outs(%arg3 :
// BUFFERS: linalg.generic {{.*}} outs(%arg3 :
// BUFFERS-NOT: memref.copy
// BUFFERS: return
func.func @fill(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x3xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x3xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// What two results start from is computed once where it is no fill; of the two
// that would overwrite it, one gets a copy.
// CHECK-LABEL: func @chain
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// BUFFERS-LABEL: func @chain
// BUFFERS: %[[ALLOC:.*]] = memref.alloc
// BUFFERS: memref.copy
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @chain(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>, %out0: memref<4x3xf32>, %out1: memref<4x3xf32>) {
  %e = tensor.empty() : tensor<4x3xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%h : tensor<4x3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x3xf32>) outs(%h : tensor<4x3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  bufferization.materialize_in_destination %a in restrict writable %out0 : (tensor<4x3xf32>, memref<4x3xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %out1 : (tensor<4x3xf32>, memref<4x3xf32>) -> ()
  return
}

// -----

// A write that does not promise to be the only one stays, and so does a fill that
// only one op writes.
// CHECK-LABEL: func @not_restrict
// CHECK-COUNT-1: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK-NOT: to_tensor
func.func @not_restrict(%zero: f32, %out: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %f in writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// What is computed behind the write of a result is moved before it, so that the write
// reads the result, and the fill gets a buffer of its own.
// CHECK-LABEL: func @behind
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: linalg.fill {{.*}} outs(%[[A]] :
// CHECK: bufferization.materialize_in_destination %[[A]]
// BUFFERS-LABEL: func @behind
// BUFFERS: linalg.generic {{.*}} outs(%arg2 :
// BUFFERS-NOT: linalg.fill {{.*}} outs(%arg2 :
// BUFFERS: return
func.func @behind(%x: tensor<4xf32>, %v: f32, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.negf %i : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  %f = linalg.fill ins(%v : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %f in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// A call may read the first buffer, so that its write stays where it is, and nothing
// is computed in that buffer.
// CHECK-LABEL: func @called
// CHECK-NOT: to_tensor %arg1
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %arg1
// CHECK-NEXT: call @read
func.func private @read(memref<4xf32>)
func.func @called(%v: f32, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  func.call @read(%out0) : (memref<4xf32>) -> ()
  %g = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %g in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Of two tensors one may be larger than the caller's buffer, which has the
// extents of the one that is chosen.
// CHECK-LABEL: func @chosen
// CHECK: %[[OWN:.*]] = tensor.empty
// CHECK: linalg.exp {{.*}} outs(%[[OWN]] :
func.func @chosen(%a: tensor<?xf32>, %b: tensor<?xf32>, %i: i1, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %y = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.if %i -> tensor<?xf32> {
    scf.yield %y : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func @switched
// CHECK: %[[OWN:.*]] = tensor.empty
// CHECK: linalg.exp {{.*}} outs(%[[OWN]] :
func.func @switched(%a: tensor<?xf32>, %b: tensor<?xf32>, %i: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %y = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.index_switch %i -> tensor<?xf32>
  case 1 {
    scf.yield %y : tensor<?xf32>
  }
  default {
    scf.yield %b : tensor<?xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Nor may one be overwritten that is a result itself.
// CHECK-LABEL: func @chosen_and_result
// CHECK: %[[OUT1:.*]] = bufferization.to_tensor %arg4
// CHECK: linalg.exp {{.*}} outs(%[[OUT1]] :
// BUFFERS-LABEL: func @chosen_and_result
func.func @chosen_and_result(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: i1, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.log ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = arith.select %i, %y, %z : tensor<4xf32>
  bufferization.materialize_in_destination %r in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %y in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// What a branch yields of another result, or a view of it, is copied before that one is written.
// CHECK-LABEL: func @yields_result
// CHECK: %[[R:.*]] = scf.if
// CHECK: bufferization.materialize_in_destination %[[R]] in
// CHECK: bufferization.materialize_in_destination %{{.*}} in writable %arg4
// CHECK: bufferization.materialize_in_destination %{{.*}} in writable %arg3
// CHECK: return
// BUFFERS-LABEL: func @yields_result
func.func @yields_result(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: i1, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.if %i -> tensor<4xf32> {
    %z = linalg.log ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  bufferization.materialize_in_destination %y in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func @view_of_result
// BUFFERS-LABEL: func @view_of_result
// BUFFERS-NOT: memref.alloc
// BUFFERS: linalg.exp ins(%{{.*}}) outs(%{{.*}} : memref<2x4xf32
// BUFFERS: memref.copy
// BUFFERS-NOT: memref.copy
// BUFFERS: return
func.func @view_of_result(%a: tensor<2x4xf32>, %out0: memref<2x4xf32>, %out1: memref<8xf32>) {
  %e = tensor.empty() : tensor<2x4xf32>
  %y = linalg.exp ins(%a : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = tensor.collapse_shape %y [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %out0 : (tensor<2x4xf32>, memref<2x4xf32>) -> ()
  bufferization.materialize_in_destination %v in restrict writable %out1 : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// A loop may start from another result.
// CHECK-LABEL: func @loop_from_result
// CHECK: %[[R:.*]] = scf.for
// CHECK: bufferization.materialize_in_destination %[[R]] in
// CHECK: bufferization.materialize_in_destination %{{.*}} in writable %arg4
// CHECK: bufferization.materialize_in_destination %{{.*}} in writable %arg3
// BUFFERS-LABEL: func @loop_from_result
func.func @loop_from_result(%a: tensor<4xf32>, %n: index, %s: index, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %n to %s step %s iter_args(%t = %y) -> tensor<4xf32> {
    %z = linalg.log ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  bufferization.materialize_in_destination %y in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// What continues from an argument does so from a copy in the result's buffer, also in a loop.
// BUFFERS-LABEL: func @insert
// BUFFERS: memref.copy %arg1, %arg2
// BUFFERS: %[[VIEW:.*]] = memref.subview %arg2
// BUFFERS: memref.copy %arg0, %[[VIEW]]
// BUFFERS-NOT: memref.copy
// BUFFERS: return
func.func @insert(%a: tensor<4x2xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.insert_slice %a into %c[0, 3] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// BUFFERS-LABEL: func @loop
// BUFFERS: memref.copy %arg1, %arg2
// BUFFERS-NOT: memref.copy
// BUFFERS: scf.for
// BUFFERS-NEXT: memref.store %{{.*}}, %arg2
// BUFFERS-NOT: memref.copy
// BUFFERS: return
func.func @loop(%x: f32, %c: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %c, %zero : tensor<?xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%t = %c) -> tensor<?xf32> {
    %u = tensor.insert %x into %t[%i] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Beside branches, whose results may be the argument itself, bufferization copies where it must.
// CHECK-LABEL: func @beside_branch
// CHECK: %[[X:.*]] = bufferization.to_tensor %arg0
// CHECK: tensor.insert_slice %{{.*}} into %[[X]]
func.func @beside_branch(%x: tensor<8x4xf32>, %row: tensor<1x4xf32>, %c: i1) -> tensor<8x4xf32> {
  %r = scf.if %c -> tensor<8x4xf32> {
    %i = tensor.insert_slice %row into %x[2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %i : tensor<8x4xf32>
  } else {
    scf.yield %x : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(norm-separate-destinations{carried})' | FileCheck %s
// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(norm-separate-destinations{carried},norm-results-to-out-params,one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops},canonicalize)' | FileCheck %s --check-prefix=BUFFERS

#id = affine_map<(d0, d1) -> (d0, d1)>

// A new tensor each turn is computed in the loop's buffer, which is carried by no
// loop any more.
// CHECK-LABEL: func @turns
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %arg0)
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%[[H]] :
// CHECK-NOT: linalg.copy
// CHECK: scf.yield %[[Y]]
// BUFFERS-LABEL: func @turns
// BUFFERS-NOT: iter_args
// BUFFERS: return
func.func @turns(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?x8xf32> {
    %d = tensor.dim %h, %c0 : tensor<?x8xf32>
    %e = tensor.empty(%d) : tensor<?x8xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.addf %v, %v : f32
      linalg.yield %s : f32
    } -> tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

// An op that reads other elements than it writes cannot overwrite what it reads.
// Rows of unknown length are copied by no linalg op, which would join the row loop.
// CHECK-LABEL: func @transposes
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %arg0, %[[G:.*]] = %arg1)
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{[0-9]+}} :
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} outs(%{{[0-9]+}} :
// CHECK: %[[W:.*]] = linalg.copy ins(%[[Y]] : {{.*}}) outs(%[[H]] :
// CHECK: %[[V:.*]] = bufferization.materialize_in_destination %[[Z]] in %[[G]]
// CHECK: scf.yield %[[W]], %[[V]]
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#same = affine_map<(d0, d1) -> (d0, d1)>
func.func private @reader(tensor<4x?xf32>)
func.func @transposes(%x: tensor<8x8xf32>, %y: tensor<4x?xf32>, %n: index) -> (tensor<8x8xf32>, tensor<4x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x, %g = %y) -> (tensor<8x8xf32>, tensor<4x?xf32>) {
    %e = tensor.empty() : tensor<8x8xf32>
    %t = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.negf %v : f32
      linalg.yield %s : f32
    } -> tensor<8x8xf32>
    %d = tensor.dim %g, %c1 : tensor<4x?xf32>
    %f = tensor.empty(%d) : tensor<4x?xf32>
    %z = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<4x?xf32>) outs(%f : tensor<4x?xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.negf %v : f32
      linalg.yield %s : f32
    } -> tensor<4x?xf32>
    func.call @reader(%z) : (tensor<4x?xf32>) -> ()
    scf.yield %t, %z : tensor<8x8xf32>, tensor<4x?xf32>
  }
  return %r#0, %r#1 : tensor<8x8xf32>, tensor<4x?xf32>
}

// -----

// Both are copied before either is overwritten.
// CHECK-LABEL: func @swap
// CHECK: iter_args(%[[P:.*]] = %arg0, %[[Q:.*]] = %arg1)
// CHECK: %[[CQ:.*]] = bufferization.alloc_tensor() copy(%[[Q]])
// CHECK: %[[CP:.*]] = bufferization.alloc_tensor() copy(%[[P]])
// CHECK: linalg.copy ins(%[[CQ]] : {{.*}}) outs(%[[P]] :
// CHECK: linalg.copy ins(%[[CP]] : {{.*}}) outs(%[[Q]] :
// BUFFERS-LABEL: func @swap
// BUFFERS-NOT: iter_args
// BUFFERS: return
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Extents may change from turn to turn: allocated each turn.
// CHECK-LABEL: func @grows
// CHECK-NOT: linalg.copy
// BUFFERS-LABEL: func @grows
// BUFFERS: iter_args({{.*}}) -> (memref<?xf32
// BUFFERS: memref.alloc
func.func @grows(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?xf32> {
    %d = tensor.dim %h, %c0 : tensor<?xf32>
    %more = arith.addi %d, %d : index
    %e = tensor.empty(%more) : tensor<?xf32>
    %z = tensor.insert_slice %h into %e[0] [%d] [1] : tensor<?xf32> into tensor<?xf32>
    %y = tensor.insert_slice %h into %z[%d] [%d] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// A cache gets a row each turn, by an inner loop one element each: no turn copies
// the whole of it.
// CHECK-LABEL: func @cache
// CHECK-NOT: linalg.copy
// CHECK: return
// BUFFERS-LABEL: func @cache
// BUFFERS: scf.for
// BUFFERS-NOT: memref.alloc
// BUFFERS-NOT: linalg.copy
// BUFFERS: return
func.func @cache(%x: tensor<64x8xf32>, %n: index) -> tensor<64x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<64x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %e) -> tensor<64x8xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<64x8xf32> to tensor<1x8xf32>
    %w = tensor.insert_slice %row into %h[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<64x8xf32>
    %t = scf.for %j = %c0 to %c8 step %c1 iter_args(%g = %w) -> tensor<64x8xf32> {
      %v = tensor.extract %x[%j, %i] : tensor<64x8xf32>
      %u = tensor.insert %v into %g[%i, %j] : tensor<64x8xf32>
      scf.yield %u : tensor<64x8xf32>
    }
    scf.yield %t : tensor<64x8xf32>
  }
  return %r : tensor<64x8xf32>
}

// -----

// Both regions of a while loop.
// CHECK-LABEL: func @while
// CHECK: scf.while (%[[N:.*]] = %arg1, %[[H:.*]] = %arg0)
// CHECK: scf.condition(%{{.*}}) %[[N]], %[[H]]
// CHECK: ^bb0(%{{.*}}: i32, %[[B:.*]]: tensor<4xf32>):
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: %[[W:.*]] = linalg.copy ins(%[[F]] : {{.*}}) outs(%[[B]] :
// CHECK: scf.yield %{{.*}}, %[[W]]
// BUFFERS-LABEL: func @while
// BUFFERS-NOT: scf.while {{.*}}memref
// BUFFERS: return
func.func @while(%x: tensor<4xf32>, %n: i32, %v: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%i = %n, %h = %x) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
    %go = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%go) %i, %h : i32, tensor<4xf32>
  } do {
  ^bb0(%i: i32, %h: tensor<4xf32>):
    %next = arith.subi %i, %c1 : i32
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next, %f : i32, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// What a branch computes goes into one buffer; where both only choose, nothing is
// copied.
// CHECK-LABEL: func @branches
// CHECK: tensor.empty
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: scf.if
// CHECK: linalg.copy {{.*}} outs(%[[E]] :
// CHECK: else
// CHECK: linalg.copy {{.*}} outs(%[[E]] :
// CHECK: scf.if
// CHECK-NEXT: scf.yield %arg0
// CHECK-NEXT: else
// CHECK-NEXT: scf.yield %arg1
func.func @branches(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1, %v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = scf.if %c -> tensor<4xf32> {
    %f = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %b = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// A branch without a result may have no else.
// CHECK-LABEL: func @effects
// CHECK: scf.if
// CHECK-NEXT: call @log
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func private @log(i32)
func.func @effects(%c: i1, %v: i32) {
  scf.if %c {
    func.call @log(%v) : (i32) -> ()
  }
  return
}

// -----

// A branch yields what was computed before it: that keeps its own tensor.
// CHECK-LABEL: func @before
// CHECK: linalg.generic {{.*}} outs(%[[E:.*]] : tensor<4xf32>)
// CHECK: tensor.empty() : tensor<4xf32>
// CHECK: %[[RESULT:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: scf.if
// CHECK: linalg.copy {{.*}} outs(%[[RESULT]] :
func.func @before(%c: i1, %v: f32, %w: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %f = linalg.fill ins(%w : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

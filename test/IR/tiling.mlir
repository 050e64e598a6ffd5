// RUN: norm-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

// Rows of static extents; the weight has no row, so every tile reads all of it.
// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x64xf16>, %[[W:[^:]*]]: tensor<64xf16>, %[[I:[^:]*]]: tensor<16x64xf16>)
// CHECK: scf.for %[[IV:.*]] = %c0 to %c16 step %c4 iter_args(%[[ACC:.*]] = %[[I]])
// CHECK: %[[XT:.*]] = tensor.extract_slice %[[X]][%[[IV]], 0] [4, 64] [1, 1]
// CHECK: %[[IT:.*]] = tensor.extract_slice %[[ACC]][%[[IV]], 0] [4, 64] [1, 1]
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[XT]], %[[W]] : tensor<4x64xf16>, tensor<64xf16>) outs(%[[IT]] : tensor<4x64xf16>) dims = [1] epsilon = 0.000000e+00 : f32 normalized_type = f16 -> tensor<4x64xf16>
// CHECK: tensor.insert_slice %[[Y]] into %[[ACC]][%[[IV]], 0] [4, 64] [1, 1]
func.func @rows(%x: tensor<16x64xf16>, %w: tensor<64xf16>, %i: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<16x64xf16>, tensor<64xf16>) outs(%i : tensor<16x64xf16>) dims = [1] epsilon = 0.0 : f32 normalized_type = f16 -> tensor<16x64xf16>
  return %y : tensor<16x64xf16>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Dynamic extents, normalized in the middle, a weight over a batch and the
// normalized dimension, both results and count.
// CHECK-LABEL: func @middle(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x8xf32>, %[[W:[^:]*]]: tensor<?x8xf32>, %[[I:[^:]*]]: tensor<?x?x8xf32>, %[[R:[^:]*]]: tensor<?x8xf32>)
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: scf.for %[[A:.*]] = %c0 to %{{.*}} step %c2 iter_args(%[[ACC0:[^ ]*]] = %[[I]], %[[ACC1:[^ ]*]] = %[[R]])
// CHECK: scf.for %[[C:.*]] = %c0 to %c8 step %c4 iter_args(%[[Y0:[^ ]*]] = %[[ACC0]], %[[R0:[^ ]*]] = %[[ACC1]])
// CHECK: %[[XT:.*]] = tensor.extract_slice %[[X]][%[[A]], 0, %[[C]]] [%[[SA:.*]], %[[N]], 4] [1, 1, 1]
// CHECK: %[[WT:.*]] = tensor.extract_slice %[[W]][0, %[[C]]] [%[[N]], 4] [1, 1]
// CHECK: %[[IT:.*]] = tensor.extract_slice %[[Y0]][%[[A]], 0, %[[C]]] [%[[SA]], %[[N]], 4] [1, 1, 1]
// CHECK: %[[RT:.*]] = tensor.extract_slice %[[R0]][%[[A]], %[[C]]] [%[[SA]], 4] [1, 1]
// CHECK: %[[Y:.*]]:2 = norm.rmsnorm ins(%[[XT]], %[[WT]] : tensor<?x?x4xf32>, tensor<?x4xf32>) outs(%[[IT]], %[[RT]] : tensor<?x?x4xf32>, tensor<?x4xf32>) dims = [1] epsilon = 0.000000e+00 : f32 weight_dims = [1, 2] count = 3
// CHECK: tensor.insert_slice %[[Y]]#0 into %[[Y0]][%[[A]], 0, %[[C]]] [%[[SA]], %[[N]], 4]
// CHECK: tensor.insert_slice %[[Y]]#1 into %[[R0]][%[[A]], %[[C]]] [%[[SA]], 4]
func.func @middle(%x: tensor<?x?x8xf32>, %w: tensor<?x8xf32>, %i: tensor<?x?x8xf32>, %r: tensor<?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x8xf32>) {
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<?x?x8xf32>, tensor<?x8xf32>) outs(%i, %r : tensor<?x?x8xf32>, tensor<?x8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [1, 2] count = 3 -> tensor<?x?x8xf32>, tensor<?x8xf32>
  return %y#0, %y#1 : tensor<?x?x8xf32>, tensor<?x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [2, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK-LABEL: func @memref(
// CHECK-SAME: %[[X:[^:]*]]: memref<16x64xf32>, %[[W:[^:]*]]: memref<f32>, %[[I:[^:]*]]: memref<16x64xf32>, %[[R:[^:]*]]: memref<16xf32>)
// CHECK: scf.for %[[IV:.*]] = %c0 to %c16 step %c4
// CHECK: %[[XT:.*]] = memref.subview %[[X]][%[[IV]], 0] [4, 64] [1, 1]
// CHECK: %[[IT:.*]] = memref.subview %[[I]][%[[IV]], 0] [4, 64] [1, 1]
// CHECK: %[[RT:.*]] = memref.subview %[[R]][%[[IV]]] [4] [1]
// CHECK: norm.rmsnorm ins(%[[XT]], %{{.*}}) outs(%[[IT]], %[[RT]] : memref<4x64xf32, strided<[64, 1], offset: ?>>, memref<4xf32, strided<[1], offset: ?>>)
func.func @memref(%x: memref<16x64xf32>, %w: memref<f32>, %i: memref<16x64xf32>, %r: memref<16xf32>) {
  norm.rmsnorm ins(%x, %w : memref<16x64xf32>, memref<f32>) outs(%i, %r : memref<16x64xf32>, memref<16xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = []
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Rows in a scf.forall, then a producer of x fused into it.
// CHECK-LABEL: func @fuse_producer(
// CHECK: scf.forall (%[[IV:.*]]) in (16) shared_outs(%[[Y:.*]] = %{{.*}}, %[[R:.*]] = %{{.*}})
// CHECK-NOT: norm.rmsnorm
// CHECK: %[[SUM:.*]] = linalg.add {{.*}} -> tensor<1x?xf32>
// CHECK: %[[T:.*]]:2 = norm.rmsnorm ins(%[[SUM]] : tensor<1x?xf32>)
// CHECK: tensor.parallel_insert_slice %[[T]]#0 into %[[Y]][%[[IV]], 0]
// CHECK: tensor.parallel_insert_slice %[[T]]#1 into %[[R]][%[[IV]]] [1] [1]
func.func @fuse_producer(%a: tensor<16x?xf32>, %b: tensor<16x?xf32>, %i: tensor<16x?xf32>, %r: tensor<16xf32>) -> (tensor<16x?xf32>, tensor<16xf32>) {
  %x = linalg.add ins(%a, %b : tensor<16x?xf32>, tensor<16x?xf32>) outs(%i : tensor<16x?xf32>) -> tensor<16x?xf32>
  %y:2 = norm.rmsnorm ins(%x : tensor<16x?xf32>) outs(%i, %r : tensor<16x?xf32>, tensor<16xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x?xf32>, tensor<16xf32>
  return %y#0, %y#1 : tensor<16x?xf32>, tensor<16xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_forall %op tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %add = transform.structured.match ops{["linalg.add"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse_into_containing_op %add into %l : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// As the producer of a tiled residual add, whose extent is that of its own
// operand: S6 makes init's extent as good as x's.
// CHECK-LABEL: func @fused_as_producer(
// CHECK: scf.for
// CHECK: %[[N:.*]] = norm.rmsnorm ins(%{{.*}} : tensor<1x?xf32>)
// CHECK: linalg.add ins(%[[N]], %{{.*}} : tensor<1x?xf32>, tensor<1x?xf32>)
// CHECK-NOT: norm.rmsnorm
func.func @fused_as_producer(%x: tensor<16x?xf32>, %b: tensor<16x?xf32>, %i: tensor<16x?xf32>) -> tensor<16x?xf32> {
  %y = norm.rmsnorm ins(%x : tensor<16x?xf32>) outs(%i : tensor<16x?xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x?xf32>
  %z = linalg.add ins(%y, %b : tensor<16x?xf32>, tensor<16x?xf32>) outs(%i : tensor<16x?xf32>) -> tensor<16x?xf32>
  return %z : tensor<16x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.add"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.fuse %op tile_sizes [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A user of inv_rms asks for rows; the op gives them with whole normalized
// dimensions.
// CHECK-LABEL: func @fused_inv_rms(
// CHECK: scf.for %[[IV:.*]] = %c0 to %c16 step %c4
// CHECK: %[[XT:.*]] = tensor.extract_slice %{{.*}}[%[[IV]], 0] [4, 64]
// CHECK: %[[N:.*]]:2 = norm.rmsnorm ins(%[[XT]] : tensor<4x64xf32>)
// CHECK: linalg.exp ins(%[[N]]#1 : tensor<4xf32>)
// CHECK-NOT: norm.rmsnorm
func.func @fused_inv_rms(%x: tensor<16x64xf32>, %i: tensor<16x64xf32>, %r: tensor<16xf32>) -> tensor<16xf32> {
  %y:2 = norm.rmsnorm ins(%x : tensor<16x64xf32>) outs(%i, %r : tensor<16x64xf32>, tensor<16xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf32>, tensor<16xf32>
  %z = linalg.exp ins(%y#1 : tensor<16xf32>) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  return %z : tensor<16xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.fuse %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A consumer that is tiled along the row cannot take the op in: it stays whole
// before the loops.
// CHECK-LABEL: func @not_fused(
// CHECK: norm.rmsnorm {{.*}} -> tensor<16x64xf32>
// CHECK: scf.for
// CHECK-NOT: norm.rmsnorm
// CHECK: linalg.add
func.func @not_fused(%x: tensor<16x64xf32>, %b: tensor<16x64xf32>, %i: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = norm.rmsnorm ins(%x : tensor<16x64xf32>) outs(%i : tensor<16x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf32>
  %z = linalg.add ins(%y, %b : tensor<16x64xf32>, tensor<16x64xf32>) outs(%i : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.add"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.fuse %op tile_sizes [1, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A dynamic row of a memref is whole in every tile.
// CHECK-LABEL: func @dynamic_memref(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x?xf32>
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK: scf.for
// CHECK: memref.subview %[[X]][%{{.*}}, 0] [%{{.*}}, %[[N]]] [1, 1]
// CHECK: norm.rmsnorm
func.func @dynamic_memref(%x: memref<?x?xf32>, %i: memref<?x?xf32>) {
  norm.rmsnorm ins(%x : memref<?x?xf32>) outs(%i : memref<?x?xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

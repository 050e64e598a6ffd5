// A result that is read again is written by its last reader.
// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(linalg-generalize-named-ops,func.func(norm-form-rows))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<?x?xf32>

// h is read by the sum and by y; y's op writes it, where h's op did.
// CHECK-LABEL: func @residual
// CHECK: %[[OUT0:.*]] = bufferization.to_tensor %arg3
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[H:.*]] = linalg.generic {{.*}} outs(%[[E]] :
// CHECK: arith.divf
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[H]] :
// CHECK: %[[Y:.*]]:2 = linalg.generic {{.*}} ins(%[[H]], %[[S]] : {{.*}}) outs(%{{.*}}, %[[OUT0]] :
// CHECK: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: linalg.yield %[[P]], %[[A]]
// CHECK: materialize_in_destination %[[Y]]#1 in writable %arg3
// CHECK: materialize_in_destination %[[Y]]#0 in writable %arg4
func.func @residual(%x: !m, %r: !m, %zero: tensor<?xf32>, %out0: memref<?x?xf32>, %out1: memref<?x?xf32>, %i: !m) {
  %d = bufferization.to_tensor %out0 restrict writable : memref<?x?xf32> to !m
  %h = linalg.div ins(%x, %r : !m, !m) outs(%d : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : tensor<?xf32>) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, tensor<?xf32>) outs(%i : !m) -> !m
  bufferization.materialize_in_destination %h in writable %out0 : (!m, memref<?x?xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (!m, memref<?x?xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<8x64xf32>
!r = tensor<2x4x64xf32>
// On the way to the caller's buffer the result may get its shape back.
// CHECK-LABEL: func @reshaped
// CHECK: %[[Y:.*]]:2 = linalg.generic {{.*}} outs(%arg4, %arg5 :
// CHECK: %[[BACK:.*]] = tensor.expand_shape %[[Y]]#1
// CHECK-NEXT: materialize_in_destination %[[BACK]] in writable %arg2
func.func @reshaped(%x: !m, %zero: tensor<8xf32>, %out0: memref<2x4x64xf32>, %out1: memref<8x64xf32>, %i: !m, %d: !m) {
  %h = linalg.exp ins(%x : !m) outs(%d : !m) -> !m
  %back = tensor.expand_shape %h [[0, 1], [2]] output_shape [2, 4, 64] : !m into !r
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : tensor<8xf32>) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, tensor<8xf32>) outs(%i : !m) -> !m
  bufferization.materialize_in_destination %back in writable %out0 : (!r, memref<2x4x64xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (!m, memref<8x64xf32>) -> ()
  return
}

// -----

!m = tensor<?x?xf32>
// Nothing sums h: it may be streamed where it is.
// CHECK-LABEL: func @no_reduction
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: materialize_in_destination %[[H]]
func.func @no_reduction(%x: !m, %out0: memref<?x?xf32>, %out1: memref<?x?xf32>, %i: !m) {
  %h = linalg.add ins(%x, %x : !m, !m) outs(%i : !m) -> !m
  %y = linalg.mul ins(%h, %h : !m, !m) outs(%i : !m) -> !m
  bufferization.materialize_in_destination %h in writable %out0 : (!m, memref<?x?xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (!m, memref<?x?xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<8x8xf32>
// The last reader turns its rows: no element is at its own place.
// CHECK-LABEL: func @transposed
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: materialize_in_destination %[[H]]
func.func @transposed(%x: !m, %zero: tensor<8xf32>, %out0: memref<8x8xf32>, %out1: memref<8x8xf32>, %i: !m) {
  %h = linalg.add ins(%x, %x : !m, !m) outs(%i : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : tensor<8xf32>) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#turned, #row, #id] ins(%h, %s : !m, tensor<8xf32>) outs(%i : !m) -> !m
  bufferization.materialize_in_destination %h in writable %out0 : (!m, memref<8x8xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (!m, memref<8x8xf32>) -> ()
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<8x64xf32>
// It adds to what it overwrites, which must be there.
// CHECK-LABEL: func @adds
// CHECK: %[[H:.*]] = linalg.generic {{.*}} outs(%arg5 :
// CHECK: materialize_in_destination %[[H]]
func.func @adds(%x: !m, %zero: tensor<8xf32>, %out0: memref<8x64xf32>, %out1: memref<8x64xf32>, %i: !m, %d: !m) {
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : !m) outs(%d : !m) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.divf %a, %o : f32
    linalg.yield %v : f32
  } -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : tensor<8xf32>) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, tensor<8xf32>) outs(%i : !m) -> !m
  bufferization.materialize_in_destination %h in writable %out0 : (!m, memref<8x64xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (!m, memref<8x64xf32>) -> ()
  return
}

// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-write-results-last))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// h is read by the sum and by y; y's op writes it.
// CHECK-LABEL: func @residual
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: arith.addf
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[H]] :
// CHECK: %[[INIT:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: %[[Y:.*]]:2 = linalg.generic {{.*}} ins(%[[H]], %[[S]] : {{.*}}) outs(%{{.*}}, %[[INIT]] :
// CHECK: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: linalg.yield %[[P]], %[[A]]
// CHECK: materialize_in_destination %[[Y]]#1 in writable %arg3
// CHECK: materialize_in_destination %[[Y]]#0 in writable %arg4
func.func @residual(%x: tensor<?x?xf32>, %r: tensor<?x?xf32>, %zero: tensor<?xf32>, %out0: memref<?x?xf32>, %out1: memref<?x?xf32>, %i: tensor<?x?xf32>) {
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<?x?xf32>) outs(%zero : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  bufferization.materialize_in_destination %h in writable %out0 : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// Nothing sums h: it may be streamed where it is.
// CHECK-LABEL: func @no_reduction
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: materialize_in_destination %[[H]]
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_reduction(%x: tensor<?x?xf32>, %out0: memref<?x?xf32>, %out1: memref<?x?xf32>, %i: tensor<?x?xf32>) {
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  bufferization.materialize_in_destination %h in writable %out0 : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// The last reader turns its rows: no element is at its own place.
// CHECK-LABEL: func @transposed
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: materialize_in_destination %[[H]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @transposed(%x: tensor<8x8xf32>, %zero: tensor<8xf32>, %out0: memref<8x8xf32>, %out1: memref<8x8xf32>, %i: tensor<8x8xf32>) {
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x8xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#turned, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x8xf32>, tensor<8xf32>) outs(%i : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  bufferization.materialize_in_destination %h in writable %out0 : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  bufferization.materialize_in_destination %y in writable %out1 : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  return
}

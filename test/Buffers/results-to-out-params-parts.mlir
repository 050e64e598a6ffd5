// RUN: norm-opt %s --norm-results-to-out-params | FileCheck %s

// CHECK-LABEL: func.func private @halves
// CHECK-SAME: (%[[LO:.*]]: tensor<?x32xf32>, %[[HI:.*]]: tensor<?x32xf32>, %[[OUT:.*]]: memref<?x64xf32>)
// CHECK-DAG: %[[V0:.*]] = memref.subview %[[OUT]][0, 0] [%{{.*}}, 32] [1, 1]
// CHECK-DAG: %[[V1:.*]] = memref.subview %[[OUT]][0, 32] [%{{.*}}, 32] [1, 1]
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[W0:.*]] = bufferization.materialize_in_destination %[[LO]] in
// CHECK: bufferization.materialize_in_destination %[[W0]] in writable %[[V0]]
// CHECK: %[[W1:.*]] = bufferization.materialize_in_destination %[[HI]] in
// CHECK: bufferization.materialize_in_destination %[[W1]] in writable %[[V1]]
func.func private @halves(%lo: tensor<?x32xf32>, %hi: tensor<?x32xf32>, %out: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %lo, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %a = tensor.insert_slice %lo into %e[0, 0] [%m, 32] [1, 1] : tensor<?x32xf32> into tensor<?x64xf32>
  %b = tensor.insert_slice %hi into %a[0, 32] [%m, 32] [1, 1] : tensor<?x32xf32> into tensor<?x64xf32>
  bufferization.materialize_in_destination %b in restrict writable %out : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// Unit dimensions that folding has dropped, before and after the collapse.
// CHECK-LABEL: func.func private @unit_dims
// CHECK-SAME: (%[[EVEN:.*]]: tensor<1x4x2xf32>, %[[ODD:.*]]: tensor<4x2xf32>, %[[OUT:.*]]: memref<1x4x4xf32>)
// CHECK-DAG: %[[V0:.*]] = memref.subview %[[OUT]][0, 0, 0] [1, 4, 2] [1, 1, 2] : memref<1x4x4xf32> to memref<1x4x2xf32
// CHECK-DAG: %[[V1:.*]] = memref.subview %[[OUT]][0, 0, 1] [1, 4, 2] [1, 1, 2] : memref<1x4x4xf32> to memref<4x2xf32
// CHECK: %[[W0:.*]] = bufferization.materialize_in_destination %[[EVEN]] in
// CHECK: bufferization.materialize_in_destination %[[W0]] in writable %[[V0]]
// CHECK: %[[W1:.*]] = bufferization.materialize_in_destination %[[ODD]] in
// CHECK: bufferization.materialize_in_destination %[[W1]] in writable %[[V1]]
func.func private @unit_dims(%even: tensor<1x4x2xf32>, %odd: tensor<4x2xf32>, %out: memref<1x4x4xf32>) {
  %e = tensor.empty() : tensor<1x4x4xf32>
  %c = tensor.collapse_shape %even [[0, 1], [2]] : tensor<1x4x2xf32> into tensor<4x2xf32>
  %a = tensor.insert_slice %c into %e[0, 0, 0] [1, 4, 2] [1, 1, 2] : tensor<4x2xf32> into tensor<1x4x4xf32>
  %b = tensor.insert_slice %odd into %a[0, 0, 1] [1, 4, 2] [1, 1, 2] : tensor<4x2xf32> into tensor<1x4x4xf32>
  bufferization.materialize_in_destination %b in restrict writable %out : (tensor<1x4x4xf32>, memref<1x4x4xf32>) -> ()
  return
}

// The dimension that folding dropped is not the one of the insertion.
// CHECK-LABEL: func.func private @turned_part
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg0
// CHECK: bufferization.materialize_in_destination %[[C]] in %{{.*}} : (tensor<3x4xf32>, tensor<3x4xf32>)
func.func private @turned_part(%x: tensor<3x1x4xf32>, %y: tensor<3x4x2xf32>, %out: memref<3x4x3xf32>) {
  %e = tensor.empty() : tensor<3x4x3xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
  %a = tensor.insert_slice %c into %e[0, 0, 0] [3, 4, 1] [1, 1, 1] : tensor<3x4xf32> into tensor<3x4x3xf32>
  %b = tensor.insert_slice %y into %a[0, 0, 1] [3, 4, 2] [1, 1, 1] : tensor<3x4x2xf32> into tensor<3x4x3xf32>
  bufferization.materialize_in_destination %b in restrict writable %out : (tensor<3x4x3xf32>, memref<3x4x3xf32>) -> ()
  return
}

// Slices that overlap, that leave an element out, and a tensor that is read too.
// CHECK-LABEL: func.func private @not_parts
// CHECK-NOT: memref.subview
// CHECK: return
func.func private @not_parts(%x: tensor<8x5xf32>, %y: tensor<8x4xf32>, %z: tensor<8x8xf32>, %o0: memref<8x8xf32>, %o1: memref<8x9xf32>, %o2: memref<8x8xf32>) -> tensor<8x8xf32> {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %a0 = tensor.insert_slice %x into %e0[0, 0] [8, 5] [1, 1] : tensor<8x5xf32> into tensor<8x8xf32>
  %b0 = tensor.insert_slice %y into %a0[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  bufferization.materialize_in_destination %b0 in restrict writable %o0 : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  %e1 = tensor.empty() : tensor<8x9xf32>
  %a1 = tensor.insert_slice %y into %e1[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x9xf32>
  %b1 = tensor.insert_slice %y into %a1[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x9xf32>
  bufferization.materialize_in_destination %b1 in restrict writable %o1 : (tensor<8x9xf32>, memref<8x9xf32>) -> ()
  %e2 = tensor.empty() : tensor<8x8xf32>
  %a2 = tensor.insert_slice %y into %e2[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  %b2 = tensor.insert_slice %y into %a2[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  bufferization.materialize_in_destination %b2 in restrict writable %o2 : (tensor<8x8xf32>, memref<8x8xf32>) -> ()
  return %b2 : tensor<8x8xf32>
}

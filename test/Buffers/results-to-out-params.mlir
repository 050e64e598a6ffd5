// RUN: norm-opt %s --norm-results-to-out-params --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @f(%arg0: memref<4xf32>, %arg1: f32, %arg2: memref<4xf32>) -> f32 attributes {llvm.emit_c_interface}
// CHECK-DAG: %[[T:.*]] = bufferization.to_tensor %arg0 restrict :
// CHECK-DAG: %[[OUT:.*]] = bufferization.to_tensor %arg2 restrict writable
// CHECK: %[[R:.*]] = bufferization.materialize_in_destination %[[T]] in %[[OUT]]
// CHECK: bufferization.materialize_in_destination %[[R]] in writable %arg2
// CHECK: return %arg1 : f32
func.func @f(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, f32) {
  return %x, %s : tensor<4xf32>, f32
}

// A result in another shape is computed in the caller's buffer all the same.
// CHECK-LABEL: func @blocks_of_a_row(%arg0: memref<4x2x32xf32>, %arg1: memref<4x64xf32>, %arg2: memref<4x1xf32>)
// CHECK-DAG: %[[BLOCKS:.*]] = memref.expand_shape %arg1 {{\[}}[0], [1, 2]] output_shape [4, 2, 32] : memref<4x64xf32> into memref<4x2x32xf32>
// CHECK-DAG: %[[COLUMN:.*]] = memref.collapse_shape %arg2 {{\[}}[0, 1]] : memref<4x1xf32> into memref<4xf32>
// CHECK-DAG: %[[X:.*]] = bufferization.to_tensor %arg0
// CHECK-DAG: %[[FIRST:.*]] = tensor.extract_slice %[[X]]
// CHECK: %[[W0:.*]] = bufferization.materialize_in_destination %[[FIRST]] in
// CHECK: materialize_in_destination %[[W0]] in writable %[[COLUMN]]
// CHECK: %[[W1:.*]] = bufferization.materialize_in_destination %[[X]] in
// CHECK: materialize_in_destination %[[W1]] in writable %[[BLOCKS]]
func.func @blocks_of_a_row(%x: tensor<4x2x32xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>) {
  %r = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x32xf32> into tensor<4x64xf32>
  %s = tensor.extract_slice %x[0, 0, 0] [4, 1, 1] [1, 1, 1] : tensor<4x2x32xf32> to tensor<4xf32>
  %c = tensor.expand_shape %s [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  return %r, %c : tensor<4x64xf32>, tensor<4x1xf32>
}

// The shape of a view would be known only later.
// CHECK-LABEL: func @dynamic_blocks
// CHECK-NOT: memref.expand_shape
// CHECK: materialize_in_destination %{{.*}} in writable %arg1 : (tensor<?xf32>, memref<?xf32>)
func.func @dynamic_blocks(%x: tensor<?x32xf32>) -> tensor<?xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x32xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A public function that is called keeps its body for the callers.
// CHECK-LABEL: func private @g__body(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func @g(%arg0: memref<4xf32>, %arg1: memref<4xf32>)
// CHECK: call @g__body
// CHECK-LABEL: func @h
// CHECK: call @g__body
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @h(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{cannot give an unranked tensor a buffer: 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// expected-error@+1 {{public functions with more than one block are not supported}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// A result over an argument has no buffer of its own. Bufferization sees that the argument's
// tensor is written, and the buffer is written last.
// CHECK-LABEL: func @over(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>) attributes
// CHECK-DAG: %[[X:.*]] = bufferization.to_tensor %arg0 restrict writable
// CHECK-DAG: %[[Y:.*]] = bufferization.to_tensor %arg1 restrict :
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[X]] in
// CHECK: bufferization.materialize_in_destination %[[COPY]] in writable %arg2
// CHECK: %[[R:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[X]]
// CHECK: bufferization.materialize_in_destination %[[R]] in writable %arg0
func.func @over(%x: tensor<4xf32> {norm.result = 0 : i64}, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %y, %x : tensor<4xf32>, tensor<4xf32>
}

// Arguments that change places are copied first.
// CHECK-LABEL: func @swapped(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes
// CHECK-DAG: %[[X:.*]] = bufferization.to_tensor %arg0 restrict writable
// CHECK-DAG: %[[Y:.*]] = bufferization.to_tensor %arg1 restrict writable
// CHECK-DAG: %[[A:.*]] = bufferization.alloc_tensor() copy(%[[Y]])
// CHECK-DAG: %[[B:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK: bufferization.materialize_in_destination %[[A]] in writable %arg0
// CHECK: bufferization.materialize_in_destination %[[B]] in writable %arg1
func.func @swapped(%x: tensor<4xf32> {norm.result = 0 : i64}, %y: tensor<4xf32> {norm.result = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %y, %x : tensor<4xf32>, tensor<4xf32>
}

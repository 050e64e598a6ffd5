// RUN: norm-opt %s --norm-results-to-out-params --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @f(%arg0: memref<4xf32>, %arg1: f32, %arg2: memref<4xf32>) -> f32 attributes {llvm.emit_c_interface}
// CHECK: %[[T:.*]] = bufferization.to_tensor %arg0 restrict
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %arg2
// CHECK: return %arg1 : f32
func.func @f(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, f32) {
  return %x, %s : tensor<4xf32>, f32
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

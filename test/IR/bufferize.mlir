// RUN: norm-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --split-input-file | FileCheck %s

// Into the caller's buffer: init is never read, so nothing is copied.
// CHECK-LABEL: func @boundary(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x64xf16>, %[[W:[^:]*]]: memref<64xf32>, %[[I:[^:]*]]: memref<?x64xf16>) -> memref<?x64xf16>
// CHECK-NEXT: norm.rmsnorm ins(%[[X]], %[[W]] : memref<?x64xf16>, memref<64xf32>) outs(%[[I]] : memref<?x64xf16>) dims = [1] epsilon = 0.000000e+00 : f32 epsilon_mode = clamp normalized_type = f16{{$}}
// CHECK-NEXT: return %[[I]]
func.func @boundary(%x: tensor<?x64xf16>, %w: tensor<64xf32>, %i: tensor<?x64xf16>) -> tensor<?x64xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x64xf16>, tensor<64xf32>) outs(%i : tensor<?x64xf16>) dims = [1] epsilon = 0.0 : f32 epsilon_mode = clamp normalized_type = f16 -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

// S8: both results, each in the buffer of its init.
// CHECK-LABEL: func @inv_rms(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>)
// CHECK-DAG: %[[Y:.*]] = memref.alloc() {{.*}}: memref<4x64xf32>
// CHECK-DAG: %[[R:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK-NOT: memref.copy
// CHECK: norm.rmsnorm ins(%[[X]] : memref<4x64xf32>) outs(%[[Y]], %[[R]] : memref<4x64xf32>, memref<4xf32>)
// CHECK: return %[[Y]], %[[R]]
func.func @inv_rms(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4xf32>) {
  %i = tensor.empty() : tensor<4x64xf32>
  %r = tensor.empty() : tensor<4xf32>
  %y:2 = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i, %r : tensor<4x64xf32>, tensor<4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>, tensor<4xf32>
  return %y#0, %y#1 : tensor<4x64xf32>, tensor<4xf32>
}

// -----

// x is its own destination: the row is read before and while it is written, so
// the result gets a buffer of its own.
// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>)
// CHECK: %[[Y:.*]] = memref.alloc() {{.*}}: memref<4x64xf32>
// CHECK: norm.rmsnorm ins(%[[X]] : memref<4x64xf32>) outs(%[[Y]] : memref<4x64xf32>)
// CHECK: return %[[Y]]
func.func @in_place(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %y = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%x : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

// The weight lies in the destination: it is copied out before the writes.
// CHECK-LABEL: func @weight_in_init(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>, %[[I:[^:]*]]: memref<4x64xf32>)
// CHECK: %[[S:.*]] = memref.subview %[[I]][0, 0] [1, 64]
// CHECK: %[[W:.*]] = memref.alloc() {{.*}}: memref<64xf32>
// CHECK: memref.copy %[[S]], %[[W]]
// CHECK: norm.rmsnorm ins(%[[X]], %[[W]] : {{.*}}) outs(%[[I]] : memref<4x64xf32>)
func.func @weight_in_init(%x: tensor<4x64xf32>, %i: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %w = tensor.extract_slice %i[0, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<4x64xf32>, tensor<64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

// init is used afterwards: it keeps its values.
// CHECK-LABEL: func @init_used_later(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>, %[[I:[^:]*]]: memref<4x64xf32>)
// CHECK: %[[Y:.*]] = memref.alloc() {{.*}}: memref<4x64xf32>
// CHECK: norm.rmsnorm ins(%[[X]] : memref<4x64xf32>) outs(%[[Y]] : memref<4x64xf32>)
// CHECK: return %[[Y]], %[[I]]
func.func @init_used_later(%x: tensor<4x64xf32>, %i: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %y = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  return %y, %i : tensor<4x64xf32>, tensor<4x64xf32>
}

// -----

// The op on memrefs passes through.
// CHECK-LABEL: func @memref(
// CHECK-NEXT: norm.rmsnorm ins(%{{.*}} : memref<4x64xf32>) outs(%{{.*}} : memref<4x64xf32>)
func.func @memref(%x: memref<4x64xf32>, %i: memref<4x64xf32>) {
  norm.rmsnorm ins(%x : memref<4x64xf32>) outs(%i : memref<4x64xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

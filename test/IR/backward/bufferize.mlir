// RUN: norm-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --split-input-file | FileCheck %s

// Into the caller's buffers: inits are never read, so nothing is copied.
// CHECK-LABEL: func @boundary(
// CHECK-SAME: %[[DY:[^:]*]]: memref<?x64xf16>, %[[X:[^:]*]]: memref<?x64xf16>, %[[R:[^:]*]]: memref<?xf32>, %[[I:[^:]*]]: memref<?x64xf16>, %[[J:[^:]*]]: memref<64xf16>)
// CHECK-NEXT: norm.rmsnorm_backward ins(%[[DY]], %[[X]] : memref<?x64xf16>, memref<?x64xf16>) inv_rms(%[[R]] : memref<?xf32>) dx(%[[I]] : memref<?x64xf16>) dw(%[[J]] : memref<64xf16>) dims = [1]{{$}}
// CHECK-NEXT: return %[[I]], %[[J]]
func.func @boundary(%dy: tensor<?x64xf16>, %x: tensor<?x64xf16>, %r: tensor<?xf32>, %i: tensor<?x64xf16>, %j: tensor<64xf16>) -> (tensor<?x64xf16>, tensor<64xf16>) {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<?x64xf16>, tensor<?x64xf16>) inv_rms(%r : tensor<?xf32>) dx(%i : tensor<?x64xf16>) dw(%j : tensor<64xf16>) dims = [1] -> tensor<?x64xf16>, tensor<64xf16>
  return %dx, %dw : tensor<?x64xf16>, tensor<64xf16>
}

// -----

// dx in the place of dy: the op writes an element before it has read the row of
// others, so a copy is made.
// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[DY:[^:]*]]: memref<4x64xf32>, %[[X:[^:]*]]: memref<4x64xf32>)
// CHECK: %[[C:.*]] = memref.alloc() {{.*}}: memref<4x64xf32>
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %[[X]] : {{.*}}) dx(%[[C]] : memref<4x64xf32>)
func.func @in_place(%dy: tensor<4x64xf32>, %x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<4x64xf32>, tensor<4x64xf32>) dx(%dy : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  return %dx : tensor<4x64xf32>
}

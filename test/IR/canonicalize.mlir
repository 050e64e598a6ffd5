// RUN: norm-opt %s --canonicalize --split-input-file | FileCheck %s

// tensor.cast: the static extents reach the op, the result keeps its type.
// CHECK-LABEL: func @tensor_cast(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x64xf32>, %[[W:[^:]*]]: tensor<64xf32>, %[[I:[^:]*]]: tensor<4x64xf32>, %[[R:[^:]*]]: tensor<?xf32>)
// CHECK: %[[Y:.*]]:2 = norm.rmsnorm ins(%[[X]], %[[W]] : tensor<4x64xf32>, tensor<64xf32>) outs(%[[I]], %[[R]] : tensor<4x64xf32>, tensor<?xf32>) {{.*}} -> tensor<4x64xf32>, tensor<?xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[Y]]#0 : tensor<4x64xf32> to tensor<?x?xf32>
// CHECK: return %[[C]], %[[Y]]#1
func.func @tensor_cast(%x: tensor<4x64xf32>, %w: tensor<64xf32>, %i: tensor<4x64xf32>, %r: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %cx = tensor.cast %x : tensor<4x64xf32> to tensor<?x?xf32>
  %cw = tensor.cast %w : tensor<64xf32> to tensor<?xf32>
  %ci = tensor.cast %i : tensor<4x64xf32> to tensor<?x?xf32>
  %y:2 = norm.rmsnorm ins(%cx, %cw : tensor<?x?xf32>, tensor<?xf32>) outs(%ci, %r : tensor<?x?xf32>, tensor<?xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// A cast that adds static extents is not undone.
// CHECK-LABEL: func @tensor_cast_to_static(
// CHECK: %[[C:.*]] = tensor.cast
// CHECK: norm.rmsnorm ins(%[[C]] : tensor<4x64xf32>)
func.func @tensor_cast_to_static(%x: tensor<?x?xf32>, %i: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %cx = tensor.cast %x : tensor<?x?xf32> to tensor<4x64xf32>
  %y = norm.rmsnorm ins(%cx : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func @memref_cast(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>, %[[I:[^:]*]]: memref<4x64xf32>, %[[D:[^:]*]]: memref<?x?xf32>)
// CHECK: norm.rmsnorm ins(%[[X]] : memref<4x64xf32>) outs(%[[I]] : memref<4x64xf32>)
// CHECK: %[[C:.*]] = memref.cast %[[D]]
// CHECK: norm.rmsnorm ins(%[[C]] : memref<4x64xf32>)
func.func @memref_cast(%x: memref<4x64xf32>, %i: memref<4x64xf32>, %d: memref<?x?xf32>) {
  %cx = memref.cast %x : memref<4x64xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %ci = memref.cast %i : memref<4x64xf32> to memref<?x64xf32>
  norm.rmsnorm ins(%cx : memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%ci : memref<?x64xf32>) dims = [1] epsilon = 0.0 : f32
  %cd = memref.cast %d : memref<?x?xf32> to memref<4x64xf32>
  norm.rmsnorm ins(%cd : memref<4x64xf32>) outs(%i : memref<4x64xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

// -----

// S5: a weight of ones goes, whatever its type: z*1 is z in a wider type too.
// CHECK-LABEL: func @ones(
// CHECK-NOT: arith.constant
// CHECK-COUNT-4: norm.rmsnorm ins(%{{[^,]*}} : tensor<4x4xf16>) outs(%{{.*}} : tensor<4x4xbf16>) dims = [1] epsilon = 0.000000e+00 : f32 normalized_type = f16 -> tensor<4x4xbf16>
func.func @ones(%x: tensor<4x4xf16>, %i: tensor<4x4xbf16>) -> (tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>) {
  %splat = arith.constant dense<1.0> : tensor<4xbf16>
  %list = arith.constant dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>
  %scalar = arith.constant dense<1.0> : tensor<f64>
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<4x4xf16>
  %fill = linalg.fill ins(%one : f16) outs(%e : tensor<4x4xf16>) -> tensor<4x4xf16>
  %0 = norm.rmsnorm ins(%x, %splat : tensor<4x4xf16>, tensor<4xbf16>) outs(%i : tensor<4x4xbf16>) dims = [1] epsilon = 0.0 : f32 normalized_type = f16 -> tensor<4x4xbf16>
  %1 = norm.rmsnorm ins(%x, %list : tensor<4x4xf16>, tensor<4xf32>) outs(%i : tensor<4x4xbf16>) dims = [1] epsilon = 0.0 : f32 normalized_type = f16 weight_dims = [0] -> tensor<4x4xbf16>
  %2 = norm.rmsnorm ins(%x, %scalar : tensor<4x4xf16>, tensor<f64>) outs(%i : tensor<4x4xbf16>) dims = [1] epsilon = 0.0 : f32 normalized_type = f16 weight_dims = [] -> tensor<4x4xbf16>
  %3 = norm.rmsnorm ins(%x, %fill : tensor<4x4xf16>, tensor<4x4xf16>) outs(%i : tensor<4x4xbf16>) dims = [1] epsilon = 0.0 : f32 normalized_type = f16 weight_dims = [0, 1] -> tensor<4x4xbf16>
  return %0, %1, %2, %3 : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>
}

// -----

// S5: one element that is not 1, or a value that is not known, keeps it.
// CHECK-LABEL: func @not_ones(
// CHECK-COUNT-3: norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4xf32>)
func.func @not_ones(%x: tensor<4x4xf32>, %i: tensor<4x4xf32>, %w: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %list = arith.constant dense<[1.0, 1.0, 1.0, 1.0000001]> : tensor<4xf32>
  %minus = arith.constant dense<-1.0> : tensor<4xf32>
  %0 = norm.rmsnorm ins(%x, %list : tensor<4x4xf32>, tensor<4xf32>) outs(%i : tensor<4x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x4xf32>
  %1 = norm.rmsnorm ins(%x, %minus : tensor<4x4xf32>, tensor<4xf32>) outs(%i : tensor<4x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x4xf32>
  %2 = norm.rmsnorm ins(%x, %w : tensor<4x4xf32>, tensor<4xf32>) outs(%i : tensor<4x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Attributes that say what their absence says.
// CHECK-LABEL: func @redundant(
// CHECK: norm.rmsnorm {{.*}} dims = [1] epsilon = 0.000000e+00 : f32 -> tensor<4x8xf16>
func.func @redundant(%x: tensor<4x8xf16>, %w: tensor<8xf16>, %i: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x8xf16>, tensor<8xf16>) outs(%i : tensor<4x8xf16>) dims = [1] epsilon = 0.0 : f32 compute_type = f32 scale_type = f32 normalized_type = f32 weight_dims = [1] count = 8 -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// -----

// The same on memrefs.
// CHECK-LABEL: func @redundant_memref(
// CHECK: norm.rmsnorm {{.*}} dims = [1] epsilon = 0.000000e+00 : f32{{$}}
func.func @redundant_memref(%x: memref<4x8xf64>, %i: memref<4x8xf64>) {
  norm.rmsnorm ins(%x : memref<4x8xf64>) outs(%i : memref<4x8xf64>) dims = [1] epsilon = 0.0 : f32 compute_type = f64 scale_type = f64 normalized_type = f64 count = 8
  return
}

// -----

// S2, S3, S4, S5, S7: each of them changes a value here. With compute_type f16
// the scale and normalized types f16 say nothing.
// CHECK-LABEL: func @telling(
// CHECK: norm.rmsnorm {{.*}} dims = [1] epsilon = 0.000000e+00 : f32 compute_type = f16 weight_dims = [0] count = 7 -> tensor<8x8xf16>
// CHECK: norm.rmsnorm {{.*}} dims = [1] epsilon = 0.000000e+00 : f32 compute_type = f64 scale_type = f32 normalized_type = f16 weight_dims = [] -> tensor<8x8xf16>
func.func @telling(%x: tensor<8x8xf16>, %w: tensor<8xf16>, %v: tensor<f16>, %i: tensor<8x8xf16>) -> (tensor<8x8xf16>, tensor<8x8xf16>) {
  %0 = norm.rmsnorm ins(%x, %w : tensor<8x8xf16>, tensor<8xf16>) outs(%i : tensor<8x8xf16>) dims = [1] epsilon = 0.0 : f32 compute_type = f16 scale_type = f16 normalized_type = f16 weight_dims = [0] count = 7 -> tensor<8x8xf16>
  %1 = norm.rmsnorm ins(%x, %v : tensor<8x8xf16>, tensor<f16>) outs(%i : tensor<8x8xf16>) dims = [1] epsilon = 0.0 : f32 compute_type = f64 scale_type = f32 normalized_type = f16 weight_dims = [] -> tensor<8x8xf16>
  return %0, %1 : tensor<8x8xf16>, tensor<8x8xf16>
}

// -----

// S7: of a dynamic extent nothing is known.
// CHECK-LABEL: func @dynamic_count(
// CHECK: norm.rmsnorm {{.*}} count = 8
func.func @dynamic_count(%x: tensor<4x?xf32>, %i: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %y = norm.rmsnorm ins(%x : tensor<4x?xf32>) outs(%i : tensor<4x?xf32>) dims = [1] epsilon = 0.0 : f32 count = 8 -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

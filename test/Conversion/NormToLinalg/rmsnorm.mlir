// RUN: norm-opt %s --norm-to-linalg --split-input-file | FileCheck %s

// S2, S3, S4, S5, S6: statistics in f32, rounding before the weight and at last.
// CHECK-LABEL: func @llama
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: arith.divf %{{.*}}, %[[N:.*]] : f32
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.mulf %{{.*}} : bf16
// CHECK-NEXT: linalg.yield
func.func @llama(%x: tensor<4x32xbf16>, %w: tensor<32xbf16>, %i: tensor<4x32xbf16>) -> tensor<4x32xbf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x32xbf16>, tensor<32xbf16>) outs(%i : tensor<4x32xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<4x32xbf16>
  return %y : tensor<4x32xbf16>
}

// -----

// S3: clamp keeps a NaN statistic; S7: the statistics see a slice; S8.
// CHECK-LABEL: func @clamp_count
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 3] [1, 1]
// CHECK: math.sqrt
// CHECK: arith.maximumf
// CHECK: return %{{.*}}, %{{.*}} : tensor<4x32xf32>, tensor<4xf32>
func.func @clamp_count(%x: tensor<4x32xf32>, %i: tensor<4x32xf32>, %r: tensor<4xf32>) -> (tensor<4x32xf32>, tensor<4xf32>) {
  %y:2 = norm.rmsnorm ins(%x : tensor<4x32xf32>) outs(%i, %r : tensor<4x32xf32>, tensor<4xf32>) dims = [1] epsilon = 1.0e-6 : f32 epsilon_mode = clamp count = 3 -> tensor<4x32xf32>, tensor<4xf32>
  return %y#0, %y#1 : tensor<4x32xf32>, tensor<4xf32>
}

// -----

// S1, S2: n is the product of dynamic extents. A 16-bit C accumulates in f32.
// CHECK-LABEL: func @dynamic
// CHECK: %[[SQ:.*]] = arith.mulf %{{.*}} : f16
// CHECK: arith.extf %[[SQ]] : f16 to f32
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.muli
// CHECK: arith.sitofp %{{.*}} : i64 to f16
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @dynamic(%x: tensor<?x?x?xf16>, %i: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %y = norm.rmsnorm ins(%x : tensor<?x?x?xf16>) outs(%i : tensor<?x?x?xf16>) dims = [0, 2] epsilon = 1.0e-3 : f32 compute_type = f16 -> tensor<?x?x?xf16>
  return %y : tensor<?x?x?xf16>
}

// -----

// On memrefs the values of a row live in buffers that are freed.
// CHECK-LABEL: func @memref
// CHECK: memref.alloc
// CHECK-COUNT-3: linalg.generic
// CHECK: memref.dealloc
func.func @memref(%x: memref<4x32xf32>, %i: memref<4x32xf32>) {
  norm.rmsnorm ins(%x : memref<4x32xf32>) outs(%i : memref<4x32xf32>) dims = [1] epsilon = 1.0e-6 : f32
  return
}

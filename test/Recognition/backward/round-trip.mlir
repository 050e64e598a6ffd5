// RUN: norm-opt %s --norm-to-linalg -o %t.mlir && FileCheck %s --check-prefix=LINALG --input-file=%t.mlir
// RUN: norm-opt %t.mlir --norm-recognize='rounding=exact' --canonicalize | FileCheck %s

// What the op decomposes to is the op's own spelling: `exact` finds it.

// LINALG-NOT: norm.

// CHECK-LABEL: func.func @computed(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<4x32xf32>) weight(%arg2 : tensor<32xf32>) dx({{.*}}) dw({{.*}}) dims = [1] epsilon = 9.99999997E-7 : f32 ->
// CHECK-NEXT: return
func.func @computed(%dy: tensor<4x32xf32>, %x: tensor<4x32xf32>, %w: tensor<32xf32>) -> (tensor<4x32xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<4x32xf32>
  %ew = tensor.empty() : tensor<32xf32>
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x32xf32>, tensor<4x32xf32>) weight(%w : tensor<32xf32>)
      dx(%e : tensor<4x32xf32>) dw(%ew : tensor<32xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<4x32xf32>, tensor<32xf32>
  return %dx, %dw : tensor<4x32xf32>, tensor<32xf32>
}

// CHECK-LABEL: func.func @llama(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<2x4x32xbf16>, tensor<2x4x32xbf16>) weight(%arg2 : tensor<32xbf16>) dx({{.*}}) dw({{.*}}) dims = [2] epsilon = 9.99999997E-7 : f32 normalized_type = bf16 ->
// CHECK-NEXT: return
func.func @llama(%dy: tensor<2x4x32xbf16>, %x: tensor<2x4x32xbf16>, %w: tensor<32xbf16>) -> (tensor<2x4x32xbf16>, tensor<32xbf16>) {
  %e = tensor.empty() : tensor<2x4x32xbf16>
  %ew = tensor.empty() : tensor<32xbf16>
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<2x4x32xbf16>, tensor<2x4x32xbf16>) weight(%w : tensor<32xbf16>)
      dx(%e : tensor<2x4x32xbf16>) dw(%ew : tensor<32xbf16>) dims = [2] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<2x4x32xbf16>, tensor<32xbf16>
  return %dx, %dw : tensor<2x4x32xbf16>, tensor<32xbf16>
}

// CHECK-LABEL: func.func @saved(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<?x32xf16>, tensor<?x32xf16>) weight(%arg2 : tensor<32xf32>) inv_rms(%arg3 : tensor<?xf32>) dx({{.*}}) dw({{.*}}) dims = [1] ->
// CHECK-NEXT: return
func.func @saved(%dy: tensor<?x32xf16>, %x: tensor<?x32xf16>, %w: tensor<32xf32>, %r: tensor<?xf32>, %e: tensor<?x32xf16>, %ew: tensor<32xf32>) -> (tensor<?x32xf16>, tensor<32xf32>) {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<?x32xf16>, tensor<?x32xf16>) weight(%w : tensor<32xf32>)
      inv_rms(%r : tensor<?xf32>) dx(%e : tensor<?x32xf16>) dw(%ew : tensor<32xf32>) dims = [1] -> tensor<?x32xf16>, tensor<32xf32>
  return %dx, %dw : tensor<?x32xf16>, tensor<32xf32>
}

// A weight per head, and no weight.

// CHECK-LABEL: func.func @heads(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>) weight(%arg2 : tensor<4x16xf32>) dx({{.*}}) dw({{.*}}) dims = [3] epsilon = 9.99999997E-7 : f32 weight_dims = [2, 3] ->
// CHECK-NEXT: return
func.func @heads(%dy: tensor<2x3x4x16xf32>, %x: tensor<2x3x4x16xf32>, %w: tensor<4x16xf32>) -> (tensor<2x3x4x16xf32>, tensor<4x16xf32>) {
  %e = tensor.empty() : tensor<2x3x4x16xf32>
  %ew = tensor.empty() : tensor<4x16xf32>
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>) weight(%w : tensor<4x16xf32>)
      dx(%e : tensor<2x3x4x16xf32>) dw(%ew : tensor<4x16xf32>) dims = [3] epsilon = 1.0e-6 : f32 weight_dims = [2, 3] -> tensor<2x3x4x16xf32>, tensor<4x16xf32>
  return %dx, %dw : tensor<2x3x4x16xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: func.func @channels(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<2x8x5xf64>, tensor<2x8x5xf64>) dx({{.*}}) dims = [1] epsilon = {{.*}} : f64 ->
// CHECK-NEXT: return
func.func @channels(%dy: tensor<2x8x5xf64>, %x: tensor<2x8x5xf64>) -> tensor<2x8x5xf64> {
  %e = tensor.empty() : tensor<2x8x5xf64>
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<2x8x5xf64>, tensor<2x8x5xf64>)
      dx(%e : tensor<2x8x5xf64>) dims = [1] epsilon = 1.0e-6 : f64 -> tensor<2x8x5xf64>
  return %dx : tensor<2x8x5xf64>
}

// CHECK-LABEL: func.func @dw_alone(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<4x32xf16>, tensor<4x32xf16>) dw({{.*}} : tensor<32xf16>) dims = [1] epsilon = 9.99999997E-7 : f32 -> tensor<32xf16>
// CHECK-NEXT: return
func.func @dw_alone(%dy: tensor<4x32xf16>, %x: tensor<4x32xf16>) -> tensor<32xf16> {
  %ew = tensor.empty() : tensor<32xf16>
  %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x32xf16>, tensor<4x32xf16>)
      dw(%ew : tensor<32xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<32xf16>
  return %dw : tensor<32xf16>
}

// An extent of the row that is known only at run time.

// CHECK-LABEL: func.func @dynamic(
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x?xf32>) weight(%arg2 : tensor<?xf32>) dx({{.*}}) dims = [1] epsilon = 9.99999997E-7 : f32 ->
// CHECK-NEXT: return
func.func @dynamic(%dy: tensor<?x?xf32>, %x: tensor<?x?xf32>, %w: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<?x?xf32>, tensor<?x?xf32>) weight(%w : tensor<?xf32>)
      dx(%e : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  return %dx : tensor<?x?xf32>
}

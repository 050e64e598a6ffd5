// RUN: norm-opt %s | norm-opt | FileCheck %s
// RUN: norm-opt %s --mlir-print-op-generic | norm-opt | FileCheck %s
// RUN: norm-opt %s --emit-bytecode | norm-opt | FileCheck %s

// CHECK-LABEL: func @both(
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<?x64xbf16>, tensor<?x64xbf16>) weight(%{{.*}} : tensor<64xbf16>) dx(%{{.*}} : tensor<?x64xbf16>) dw(%{{.*}} : tensor<64xbf16>) dims = [1] epsilon = 9.99999997E-7 : f32 normalized_type = bf16 -> tensor<?x64xbf16>, tensor<64xbf16>
func.func @both(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %w: tensor<64xbf16>, %i: tensor<?x64xbf16>, %j: tensor<64xbf16>) -> (tensor<?x64xbf16>, tensor<64xbf16>) {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<?x64xbf16>, tensor<?x64xbf16>) weight(%w : tensor<64xbf16>)
    dx(%i : tensor<?x64xbf16>) dw(%j : tensor<64xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<?x64xbf16>, tensor<64xbf16>
  return %dx, %dw : tensor<?x64xbf16>, tensor<64xbf16>
}

// CHECK-LABEL: func @saved(
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<4x64xf32>, tensor<4x64xf32>) inv_rms(%{{.*}} : tensor<4xf32>) dx(%{{.*}} : tensor<4x64xf32>) dims = [1] -> tensor<4x64xf32>
func.func @saved(%dy: tensor<4x64xf32>, %x: tensor<4x64xf32>, %r: tensor<4xf32>) -> tensor<4x64xf32> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<4x64xf32>, tensor<4x64xf32>) inv_rms(%r : tensor<4xf32>) dx(%x : tensor<4x64xf32>) dims = [1] -> tensor<4x64xf32>
  return %dx : tensor<4x64xf32>
}

// CHECK-LABEL: func @options(
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<4x64xf16>, tensor<4x64xf16>) rms(%{{.*}} : tensor<4xf16>) dw(%{{.*}} : tensor<4xf32>) dims = [1] epsilon = 1.000400e-03 : f16 epsilon_mode = outside root_form = quotient compute_type = f16 sum_type = f32 weight_dims = [0] count = 32 -> tensor<4xf32>
func.func @options(%dy: tensor<4x64xf16>, %x: tensor<4x64xf16>, %s: tensor<4xf16>, %j: tensor<4xf32>) -> tensor<4xf32> {
  %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x64xf16>, tensor<4x64xf16>) rms(%s : tensor<4xf16>) dw(%j : tensor<4xf32>)
    dims = [1] count = 32 epsilon = 1.0e-3 : f16 epsilon_mode = outside weight_dims = [0] sum_type = f32 compute_type = f16 root_form = quotient -> tensor<4xf32>
  return %dw : tensor<4xf32>
}

// CHECK-LABEL: func @memrefs(
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : memref<4x64xf32>, memref<4x64xf32>) dx(%{{.*}} : memref<4x64xf32>) dims = [1] epsilon = 0.000000e+00 : f32 scale_type = bf16{{$}}
func.func @memrefs(%dy: memref<4x64xf32>, %x: memref<4x64xf32>, %i: memref<4x64xf32>) {
  norm.rmsnorm_backward ins(%dy, %x : memref<4x64xf32>, memref<4x64xf32>) dx(%i : memref<4x64xf32>) dims = [1] epsilon = 0.0 : f32 scale_type = bf16
  return
}

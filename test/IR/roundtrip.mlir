// RUN: norm-opt %s | norm-opt | FileCheck %s
// RUN: norm-opt %s --mlir-print-op-generic | norm-opt | FileCheck %s

// CHECK-LABEL: func @llama
// CHECK: norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<?x4096xf16>, tensor<4096xf16>) outs(%{{.*}} : tensor<?x4096xf16>) dims = [1] epsilon = 9.99999997E-7 : f32 normalized_type = f16 -> tensor<?x4096xf16>
func.func @llama(%x: tensor<?x4096xf16>, %w: tensor<4096xf16>, %i: tensor<?x4096xf16>) -> tensor<?x4096xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x4096xf16>, tensor<4096xf16>) outs(%i : tensor<?x4096xf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = f16 -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// CHECK-LABEL: func @every_attribute
// CHECK: dims = [2] epsilon = 1.000000e-03 : f64 epsilon_mode = clamp compute_type = f64 scale_type = bf16 normalized_type = f32 weight_dims = [] count = 3 -> tensor<2x3x8xbf16>, tensor<2x3xf64>
func.func @every_attribute(%x: tensor<2x3x8xf32>, %w: tensor<f32>, %i: tensor<2x3x8xbf16>, %r: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<2x3x8xf32>, tensor<f32>) outs(%i, %r : tensor<2x3x8xbf16>, tensor<2x3xf64>) dims = [2] epsilon = 1.0e-3 : f64 count = 3 weight_dims = [] normalized_type = f32 scale_type = bf16 compute_type = f64 epsilon_mode = clamp -> tensor<2x3x8xbf16>, tensor<2x3xf64>
  return %y#1 : tensor<2x3xf64>
}

// CHECK-LABEL: func @memref
// CHECK: norm.rmsnorm ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x8xf32>) dims = [0, 1] epsilon = 0.000000e+00 : f32{{$}}
func.func @memref(%x: memref<4x8xf32>, %i: memref<4x8xf32>) {
  norm.rmsnorm ins(%x : memref<4x8xf32>) outs(%i : memref<4x8xf32>) dims = [0, 1] epsilon = 0.0 : f32
  return
}

// Any rank, on memrefs as on tensors.
// CHECK-LABEL: func @rank9
// CHECK: norm.rmsnorm ins(%{{.*}} : memref<1x1x1x1x1x1x1x2x4xf32>)
func.func @rank9(%x: memref<1x1x1x1x1x1x1x2x4xf32>, %i: memref<1x1x1x1x1x1x1x2x4xf32>) {
  norm.rmsnorm ins(%x : memref<1x1x1x1x1x1x1x2x4xf32>) outs(%i : memref<1x1x1x1x1x1x1x2x4xf32>) dims = [8] epsilon = 0.0 : f32
  return
}

// What a plan does not say is not printed.
// CHECK-LABEL: func @plans
// CHECK: norm.plan = #norm.row_plan<>}
// CHECK: norm.plan = #norm.row_plan<lanes = 32, stream = false, pipeline = false>}
func.func @plans(%n: index) {
  scf.forall (%i) in (%n) {
  } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<>}
  scf.forall (%i) in (%n) {
  } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<pipeline = false, parallel = true, lanes = 32, stream = false, tail_lanes = 0>}
  return
}

// CHECK-LABEL: func @loops
// CHECK: scf.for
// CHECK: {norm.loop = #norm.loop<block>}
// CHECK: {norm.loop = #norm.loop<rows, <threads = 512, vector = 4, lanes = 8192, registers = 48, cluster = 2, shifted = true>>}
func.func @loops(%n: index) {
  scf.forall (%i) in (%n) {
    scf.for %j = %i to %n step %n {
    } {norm.loop = #norm.loop<block>}
  } {norm.loop = #norm.loop<rows, <shifted = true, threads = 512, vector = 4, lanes = 8192, registers = 48, cluster = 2>>}
  return
}

// The syntax is torch-mlir's, and the generic form is read too.
// RUN: norm-opt %s | FileCheck %s
// RUN: norm-opt %s | norm-opt | FileCheck %s
// RUN: norm-opt %s --mlir-print-op-generic | norm-opt | FileCheck %s

// CHECK-LABEL: func.func @scan(
func.func @scan(%x: tensor<2x?xf32>, %a: tensor<2xf32>) -> tensor<2x?xf32> {
  // CHECK: %{{.*}}:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%{{.*}} : tensor<2x?xf32>) outs(%{{.*}}, %{{.*}} : tensor<2x?xf32>, tensor<2xf32>) {
  // CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %[[E:.*]]: f32):
  %r:2 = tm_tensor.scan dimension(1) inclusive(false) ins(%x : tensor<2x?xf32>) outs(%x, %a : tensor<2x?xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    // CHECK: tm_tensor.yield %{{.*}} : f32
    %t = arith.addf %s, %e : f32
    tm_tensor.yield %t : f32
  // CHECK-NEXT: } -> tensor<2x?xf32>, tensor<2xf32>
  } -> tensor<2x?xf32>, tensor<2xf32>
  return %r#0 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @scatter(
func.func @scatter(%u: tensor<5x1x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) -> tensor<10x8xf32> {
  // CHECK: tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%{{.*}}, %{{.*}} : tensor<5x1x8xf32>, tensor<5x1xi64>) outs(%{{.*}} : tensor<10x8xf32>) {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<5x1x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %e: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return %r : tensor<10x8xf32>
}

// CHECK-LABEL: func.func @sort(
func.func @sort(%x: tensor<3x4xf32>, %i: tensor<3x4xi64>) -> tensor<3x4xi64> {
  // CHECK: %{{.*}}:2 = tm_tensor.sort dimension(1) outs(%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x4xi64>) {
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<3x4xf32>, tensor<3x4xi64>) {
  ^bb0(%a: f32, %b: f32, %j: i64, %k: i64):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3x4xf32>, tensor<3x4xi64>
  return %r#1 : tensor<3x4xi64>
}

// CHECK-LABEL: func.func @topk(
func.func @topk(%x: tensor<3x4xi32>, %v: tensor<3x2xi32>, %i: tensor<3x2xi32>) -> tensor<3x2xi32> {
  // CHECK: %{{.*}}:2 = tm_tensor.topk dimension(1) ins(%{{.*}} : tensor<3x4xi32>) outs(%{{.*}}, %{{.*}} : tensor<3x2xi32>, tensor<3x2xi32>) {
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x4xi32>) outs(%v, %i : tensor<3x2xi32>, tensor<3x2xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    tm_tensor.yield %c : i1
  } -> tensor<3x2xi32>, tensor<3x2xi32>
  return %r#1 : tensor<3x2xi32>
}

// CHECK-LABEL: func.func @attention(
func.func @attention(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x5xi1>, %o: tensor<2x3x6xf32>) -> tensor<2x3x6xf32> {
  // CHECK: tm_tensor.attention {scale = 5.000000e-01 : f64} ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xi1>) outs(%{{.*}} : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  %r = tm_tensor.attention {scale = 5.000000e-01 : f64} ins(%q, %k, %v, %m : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xi1>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return %r : tensor<2x3x6xf32>
}

// What is one value per row becomes an op over the rows.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-form-rows))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-form-rows{scheduled}))' --split-input-file | FileCheck %s --check-prefix=SHARED

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<16x64xf32>
!v = tensor<16xf32>
// A root and a division per row.
// CHECK-LABEL: func @root
// CHECK: %[[E:.*]] = tensor.empty() : tensor<16xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg1 : tensor<16xf32>) outs(%[[E]] : tensor<16xf32>)
// CHECK: arith.constant 2.0
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: linalg.yield
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[R]] : tensor<16x64xf32>, tensor<16xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[INV:.*]]: f32, %{{.*}}: f32)
// CHECK-NOT: math.sqrt
// CHECK-NOT: arith.divf
// CHECK: arith.mulf %[[X]], %[[INV]]
// SHARED-LABEL: func @root
// SHARED: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 :
func.func @root(%x: !m, %sum: !v, %e: !m) -> !m {
  %one = arith.constant 1.0 : f32
  %v = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : !m, !v) outs(%e : !m) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %eps = arith.constant 2.0 : f32
    %t = arith.addf %s, %eps : f32
    %r = math.sqrt %t : f32
    %inv = arith.divf %one, %r : f32
    %p = arith.mulf %a, %inv : f32
    linalg.yield %p : f32
  } -> !m
  return %v : !m
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<16x64xf32>
!v = tensor<16xf32>
// Nothing slow, and one row: as they were.
// CHECK-LABEL: func @kept
// CHECK-NOT: iterator_types = ["parallel"]
func.func @kept(%x: !m, %sum: !v, %x1: tensor<1x64xf32>, %sum1: tensor<1xf32>, %e: !m, %e1: tensor<1x64xf32>) -> (!m, tensor<1x64xf32>) {
  %v = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : !m, !v) outs(%e : !m) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %t = arith.addf %s, %s : f32
    %p = arith.mulf %a, %t : f32
    linalg.yield %p : f32
  } -> !m
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x1, %sum1 : tensor<1x64xf32>, tensor<1xf32>) outs(%e1 : tensor<1x64xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %t = math.sqrt %s : f32
    %p = arith.mulf %a, %t : f32
    linalg.yield %p : f32
  } -> tensor<1x64xf32>
  return %v, %w : !m, tensor<1x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
!m = tensor<16x64xf32>
!v = tensor<64xf32>
// What an outer loop repeats is a row.
// CHECK-LABEL: func @column
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg1 : tensor<64xf32>)
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[R]] : tensor<16x64xf32>, tensor<64xf32>)
// CHECK-NOT: math.sqrt
// CHECK: return
func.func @column(%x: !m, %sum: !v, %e: !m) -> !m {
  %v = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : !m, !v) outs(%e : !m) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %r = math.sqrt %s : f32
    %p = arith.mulf %a, %r : f32
    linalg.yield %p : f32
  } -> !m
  return %v : !m
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
!m = tensor<16x4x32xf32>
// A row of blocks has one root, and each block its own division, of which the root
// is no part.
// CHECK-LABEL: func @blocks
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg1 : tensor<16xf32>)
// CHECK: math.sqrt
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg2, %[[R]] : tensor<16x4xf32>, tensor<16xf32>)
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[Q]] :
// CHECK-NOT: arith.divf
// CHECK: return
func.func @blocks(%x: !m, %sum: tensor<16xf32>, %scale: tensor<16x4xf32>, %e: !m) -> !m {
  %v = linalg.generic {indexing_maps = [#id, #row, #block, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %sum, %scale : !m, tensor<16xf32>, tensor<16x4xf32>) outs(%e : !m) {
  ^bb0(%a: f32, %s: f32, %c: f32, %out: f32):
    %r = math.sqrt %s : f32
    %q = arith.divf %c, %r : f32
    %p = arith.mulf %a, %q : f32
    linalg.yield %p : f32
  } -> !m
  return %v : !m
}

// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-hoist-row-scalars))' --split-input-file | FileCheck %s

// A root and a division a row become an op over 16 rows.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @root
// CHECK: %[[E:.*]] = tensor.empty() : tensor<16xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg1 : tensor<16xf32>) outs(%[[E]] : tensor<16xf32>)
// CHECK: arith.constant 2.0
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: linalg.yield
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %[[R]] : tensor<16x64xf32>, tensor<16xf32>, tensor<16xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32, %[[INV:.*]]: f32, %{{.*}}: f32)
// CHECK-NOT: math.sqrt
// CHECK-NOT: arith.divf
// CHECK: arith.mulf %[[X]], %[[INV]]
func.func @root(%x: tensor<16x64xf32>, %sum: tensor<16xf32>, %e: tensor<16x64xf32>, %n: index) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e) -> tensor<16x64xf32> {
    %v = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<16x64xf32>, tensor<16xf32>) outs(%o : tensor<16x64xf32>) {
    ^bb0(%a: f32, %s: f32, %out: f32):
      %eps = arith.constant 2.0 : f32
      %t = arith.addf %s, %eps : f32
      %r = math.sqrt %t : f32
      %inv = arith.divf %one, %r : f32
      %p = arith.mulf %a, %inv : f32
      linalg.yield %p : f32
    } -> tensor<16x64xf32>
    scf.yield %v : tensor<16x64xf32>
  }
  return %y : tensor<16x64xf32>
}

// -----

// Nothing slow, one row, and no loop: as they were.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @kept
// CHECK-NOT: iterator_types = ["parallel"]
func.func @kept(%x: tensor<16x64xf32>, %sum: tensor<16xf32>, %x1: tensor<1x64xf32>, %sum1: tensor<1xf32>, %e: tensor<16x64xf32>, %e1: tensor<1x64xf32>, %n: index) -> (tensor<16x64xf32>, tensor<1x64xf32>, tensor<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e, %o1 = %e1) -> (tensor<16x64xf32>, tensor<1x64xf32>) {
    %v = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<16x64xf32>, tensor<16xf32>) outs(%o : tensor<16x64xf32>) {
    ^bb0(%a: f32, %s: f32, %out: f32):
      %t = arith.addf %s, %s : f32
      %p = arith.mulf %a, %t : f32
      linalg.yield %p : f32
    } -> tensor<16x64xf32>
    %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x1, %sum1 : tensor<1x64xf32>, tensor<1xf32>) outs(%o1 : tensor<1x64xf32>) {
    ^bb0(%a: f32, %s: f32, %out: f32):
      %t = math.sqrt %s : f32
      %p = arith.mulf %a, %t : f32
      linalg.yield %p : f32
    } -> tensor<1x64xf32>
    scf.yield %v, %w : tensor<16x64xf32>, tensor<1x64xf32>
  }
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<16x64xf32>, tensor<16xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %t = math.sqrt %s : f32
    %p = arith.mulf %a, %t : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  return %y#0, %y#1, %z : tensor<16x64xf32>, tensor<1x64xf32>, tensor<16x64xf32>
}

// -----

// What an outer loop repeats is a row: no loop over rows is needed around it.
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @column
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg1 : tensor<64xf32>)
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %[[R]] : tensor<16x64xf32>, tensor<64xf32>, tensor<64xf32>)
// CHECK-NOT: math.sqrt
// CHECK: return
func.func @column(%x: tensor<16x64xf32>, %sum: tensor<64xf32>, %e: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %v = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %r = math.sqrt %s : f32
    %p = arith.mulf %a, %r : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  return %v : tensor<16x64xf32>
}

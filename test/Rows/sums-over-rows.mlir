// RUN: norm-opt %s --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(norm-vectorize-rows,canonicalize,cse))' --split-input-file | FileCheck %s

// 512 rows: two blocks of 16 blocks of 16 rows. The result is touched twice, the
// row of a block 16 times, and no loop carries more than a strip.
// CHECK-LABEL: func @sum
// CHECK: scf.for %[[BB:[a-z0-9]+]] = %c0 to %c512 step %c256
// CHECK: %[[BE:[a-z0-9]+]] = arith.addi %[[BB]], %c256
// CHECK: vector.transfer_write %{{.*}} : vector<4xf32>, memref<100xf32>
// CHECK: scf.for %[[B:[a-z0-9]+]] = %[[BB]] to %[[BE]] step %c16
// CHECK: %[[E:[a-z0-9]+]] = arith.addi %[[B]], %c16
// CHECK: %[[S:[a-z0-9]+]] = scf.for %[[R:[a-z0-9]+]] = %[[B]] to %[[E]] step %c1 iter_args(%[[ACC:[a-z0-9]+]] = %{{.*}}) -> (vector<64xf32>)
// CHECK: %[[X:[a-z0-9]+]] = vector.transfer_read %{{.*}}[%[[R]], %c0]
// CHECK: arith.addf %[[ACC]], %[[X]] : vector<64xf32>
// CHECK: } {norm.loop = #norm.loop<statistic>}
// CHECK: %[[OLD:[a-z0-9]+]] = vector.transfer_read %{{.*}} : memref<100xf32>, vector<64xf32>
// CHECK: arith.addf %[[OLD]], %[[S]] : vector<64xf32>
// CHECK: vector.transfer_write %{{.*}} : vector<4xf32>, memref<100xf32>
func.func @sum(%x: tensor<512x100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<512x100xf32>) outs(%y : tensor<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// A maximum has no error that grows, so it has one level. 20 rows end early.
// CHECK-LABEL: func @max
// CHECK: scf.for %[[B:[a-z0-9]+]] = %c0 to %c20 step %c16
// CHECK: %[[E:[a-z0-9]+]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]] step %c1
// CHECK: arith.maximumf %{{.*}} : vector<64xf32>
// CHECK-NOT: scf.for
// CHECK: return
func.func @max(%x: tensor<20x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<20x64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// What reads its sum otherwise keeps its loops, row by row.
// CHECK-LABEL: func @other
// CHECK: scf.for %{{.*}} = %c0 to %c20 step %c1
// CHECK-NOT: scf.for
// CHECK: return
func.func @other(%x: tensor<20x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<20x64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %b, %b : f32
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Rows of two strips are read from end to end: as one strip, twice as long.
// CHECK-LABEL: func @short
// CHECK: scf.for %[[B:[a-z0-9]+]] = %c0 to %c64 step %c16
// CHECK: scf.for %{{.*}} = %[[B]] to %{{.*}} step %c1 iter_args(%{{.*}}) -> (vector<128xf32>)
// CHECK-NOT: vector<64xf32>
// CHECK: return
func.func @short(%x: tensor<64x128xf32>, %init: tensor<128xf32>) -> tensor<128xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<64x128xf32>) outs(%init : tensor<128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  return %y : tensor<128xf32>
}

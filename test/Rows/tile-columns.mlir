// RUN: norm-opt %s --norm-tile-rows=scheduled=1 --canonicalize --cse --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows{scheduled},canonicalize,cse),one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(canonicalize,norm-vectorize-rows{scheduled},canonicalize,cse))' --split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=VECTOR

// 32 parts of 128 rows each: 32 parts and 32 blocks of columns are 1024 warps. Then
// one loop over the blocks adds the parts, and what the destination holds.
// CHECK-LABEL: func @sum
// CHECK: %[[E:.*]] = tensor.empty() : tensor<32x4096xf32>
// CHECK: %[[P:.*]] = scf.forall (%[[I:.*]], %[[J:.*]]) in (32, 32) shared_outs(%[[O:.*]] = %[[E]])
// CHECK-DAG: %[[C:.*]] = affine.apply affine_map<(d0) -> (d0 * 128)>(%[[J]])
// CHECK-DAG: %[[R:.*]] = affine.apply affine_map<(d0) -> (d0 * 128)>(%[[I]])
// CHECK-DAG: %[[X:.*]] = tensor.extract_slice %arg0[%[[R]], %[[C]]] [128, 128] [1, 1]
// CHECK-DAG: %[[S:.*]] = tensor.extract_slice %[[O]][%[[I]], %[[C]]] [1, 128] [1, 1] : tensor<32x4096xf32> to tensor<128xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}}) outs(%[[S]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[X]] : {{.*}}) outs(%[[F]]
// CHECK: tensor.parallel_insert_slice %[[Y]] into %[[O]][%[[I]], %[[C]]] [1, 128] [1, 1]
// CHECK: norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = {{[0-9]+}}>>
// CHECK: scf.forall (%{{.*}}) = (0) to (4096) step (128) shared_outs(%[[O2:.*]] = %arg1)
// CHECK: tensor.extract_slice %[[P]][0, %{{.*}}] [32, 128] [1, 1]
// CHECK: tensor.extract_slice %[[O2]][%{{.*}}] [128] [1]
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<32x128xf32>) outs(%{{.*}} : tensor<128xf32>)
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return

// The sums of 16 rows, 8 of which are loaded at once, and their sum stay in registers; what the destination held is
// added last.
// VECTOR-LABEL: func @sum
// VECTOR-DAG: %[[N:.*]] = arith.constant dense<-0.000000e+00> : vector<128xf32>
// VECTOR: scf.forall
// VECTOR: %[[S:.*]] = scf.for %[[B:.*]] = %c0 to %c128 step %c16 iter_args(%[[A:.*]] = %[[N]]) -> (vector<128xf32>)
// VECTOR: %[[E:.*]] = arith.addi %[[B]], %c16
// VECTOR: %[[T:.*]] = scf.for %[[R:.*]] = %[[B]] to %[[E]] step %c8 iter_args(%[[L:.*]] = %[[N]])
// VECTOR: %[[X:.*]] = vector.transfer_read %{{.*}}[%[[R]], %c0]
// VECTOR: %[[L1:.*]] = arith.addf %[[L]], %[[X]]
// VECTOR: %[[R1:.*]] = arith.addi %[[R]], %c1
// VECTOR: %[[X1:.*]] = vector.transfer_read %{{.*}}[%[[R1]], %c0]
// VECTOR: arith.addf %[[L1]], %[[X1]]
// VECTOR: arith.addf %[[A]], %[[T]]
// VECTOR: vector.transfer_write %[[S]], %{{.*}}[%c0]
// VECTOR: scf.forall
// VECTOR: %[[S:.*]] = scf.for %{{.*}} = %c0 to %c32 step %c16
// VECTOR: %[[OLD:.*]] = vector.transfer_read %{{.*}} : memref<128xf32
// VECTOR: %[[NEW:.*]] = arith.addf %[[OLD]], %[[S]]
// VECTOR: vector.transfer_write %[[NEW]]

func.func @sum(%x: tensor<4096x4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4096x4096xf32>) outs(%y : tensor<4096xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----

// 127 rows are one part. Its 100 columns are 25 accesses, so each is an iteration: a warp
// has 32 neighbors. It starts from what its destination is filled with, so that
// nothing fills memory first.
// CHECK-LABEL: func @few
// CHECK: scf.forall (%{{.*}}) = (0) to (100) step (4) shared_outs(%[[O:.*]] = %arg1)
// CHECK: linalg.fill ins(%cst
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<127x4xf32>)
// CHECK-NOT: scf.forall (
// CHECK: threads = 1, vector = 4, lanes = 4,
// VECTOR-LABEL: func @few
// VECTOR-NOT: mask
// VECTOR-NOT: vector.transfer_read %arg2
// Seven blocks of 16 rows, and fifteen rows one after another.
// VECTOR: scf.for %{{.*}} = %c0 to %c112 step %c16
// VECTOR: scf.for %{{.*}} = %c112 to %c127 step %c1
// VECTOR: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// VECTOR: return
func.func @few(%x: tensor<127x100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%y : tensor<100xf32>) -> tensor<100xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<127x100xf32>) outs(%f : tensor<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Two results have parts of their own, and are added apart; a maximum starts from the lowest value.
// Rows that are not known are at most 64 parts here.
// CHECK-LABEL: func @two
// CHECK: affine.max affine_map<()[s0] -> (s0 ceildiv 64, 64)>
// CHECK: arith.ceildivsi
// CHECK: %[[P:.*]]:2 = scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 16) shared_outs(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?x4096xf32>, tensor<?x4096xi32>)
// CHECK: linalg.generic
// CHECK: arith.maximumf
// CHECK: arith.addi
// CHECK: scf.forall (%{{.*}}) = (0) to (4096) step (128) shared_outs(%{{.*}} = %arg2)
// CHECK: arith.maximumf
// CHECK: scf.forall (%{{.*}}) = (0) to (4096) step (128) shared_outs(%{{.*}} = %arg3)
// CHECK: arith.addi
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @two(%x: tensor<?x4096xbf16>, %n: tensor<?xi32>, %y: tensor<4096xf32>, %z: tensor<4096xi32>) -> (tensor<4096xf32>, tensor<4096xi32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x, %n : tensor<?x4096xbf16>, tensor<?xi32>) outs(%y, %z : tensor<4096xf32>, tensor<4096xi32>) {
  ^bb0(%a: bf16, %k: i32, %b: f32, %c: i32):
    %w = arith.extf %a : bf16 to f32
    %m = arith.maximumf %b, %w : f32
    %s = arith.addi %c, %k : i32
    linalg.yield %m, %s : f32, i32
  } -> (tensor<4096xf32>, tensor<4096xi32>)
  return %0#0, %0#1 : tensor<4096xf32>, tensor<4096xi32>
}

// -----

// Many rows of few columns: 1024 parts of 1024 rows, 16 of 64 of those, and 16.
// CHECK-LABEL: func @long
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (1024, 1)
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (16, 1)
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (64)
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @long(%x: tensor<1048576x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<1048576x64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A sum that its own result enters twice has no parts, and one along rows is no sum
// of rows.
// CHECK-LABEL: func @others
// CHECK-NOT: scf.forall (
// CHECK: arith.mulf
// CHECK: scf.forall (%{{.*}}) in (512)
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @others(%x: tensor<512x64xf32>, %y: tensor<64xf32>, %z: tensor<512xf32>) -> (tensor<64xf32>, tensor<512xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<512x64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %b, %b : f32
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x64xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<512xf32>
  return %0, %1 : tensor<64xf32>, tensor<512xf32>
}

// -----

// What reads the sum is in its loop if that has one part: one kernel, in which a thread
// goes through its columns twice. Eight rows are loaded before one is written.
// CHECK-LABEL: func @center
// CHECK: scf.forall (%[[B:.*]], %[[J:.*]]) = (0, 0) to (8, 3136) step (1, 64) shared_outs
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<1x64x64xf32>)
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<1x64x64xf32>, tensor<1x64xf32>)
// CHECK-NOT: linalg.generic
// CHECK-NOT: scf.forall (
// CHECK: return
// VECTOR-LABEL: func @center
// VECTOR: scf.for %{{.*}} = %c0 to %c64 step %c16
// VECTOR: scf.for %{{.*}} step %c8 iter_args
// VECTOR-COUNT-8: arith.subf
// VECTOR-COUNT-8: vector.transfer_write
// VECTOR-NOT: vector.transfer
// VECTOR: return
func.func @center(%x: tensor<8x64x3136xf32>, %y: tensor<8x64x3136xf32>) -> tensor<8x64x3136xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x3136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x3136xf32>) -> tensor<8x3136xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<8x64x3136xf32>) outs(%f : tensor<8x3136xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<8x3136xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %0 : tensor<8x64x3136xf32>, tensor<8x3136xf32>) outs(%y : tensor<8x64x3136xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %c = arith.subf %a, %s : f32
    linalg.yield %c : f32
  } -> tensor<8x64x3136xf32>
  return %1 : tensor<8x64x3136xf32>
}

// -----

// An odd number of columns is masked: a block of one column would be no vector.
// CHECK-LABEL: func @odd
// CHECK: scf.forall (%{{.*}}) = (0) to (111) step (32) shared_outs
// CHECK: threads = 32, vector = 1, lanes = 32,
// VECTOR-LABEL: func @odd
// VECTOR: vector.create_mask
// VECTOR: scf.for %{{.*}} step %c1 iter_args
// VECTOR: return
func.func @odd(%x: tensor<32x111xf32>, %y: tensor<111xf32>) -> tensor<111xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<32x111xf32>) outs(%y : tensor<111xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<111xf32>
  return %0 : tensor<111xf32>
}

// -----

// CHECK-LABEL: func @empty
// CHECK-NOT: scf.forall
// CHECK: return
func.func @empty(%x: tensor<0x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<0x4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// No part of no rows, which an extent may turn out to be.
// CHECK-LABEL: func @empty_slice
// CHECK: tensor.empty() : tensor<0x64xf32>
// CHECK-NOT: scf.forall (%{{.*}}) =
// CHECK: return
func.func @empty_slice(%x: tensor<?x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %x[0, 0] [%c0, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%s : tensor<?x64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Sums of several groups share the warps: 32 parts of one, 8 of each of four. Where ranks share the
// groups of a sum, which has parts for that, their number changes nothing.
// CHECK-LABEL: func @groups
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (4, 8, 32) shared_outs
// CHECK-LABEL: func @groups_of_a_rank
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (4, 32, 32) shared_outs
func.func @groups(%x: tensor<4x4096x4096xf32>, %y: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<4x4096x4096xf32>) outs(%y : tensor<4x4096xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x4096xf32>
  return %0 : tensor<4x4096xf32>
}
func.func @groups_of_a_rank(%x: tensor<4x4096x4096xf32>, %y: tensor<4x4096xf32>) -> tensor<4x4096xf32> attributes {norm.sum_parts = 8 : i64} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<4x4096x4096xf32>) outs(%y : tensor<4x4096xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4x4096xf32>
  return %0 : tensor<4x4096xf32>
}

// -----

// Sixteen rows are no multiple of three, so none is loaded ahead.
// VECTOR-LABEL: func @odd_rows_ahead
// VECTOR: scf.for {{.*}} step %c16 iter_args
// VECTOR: scf.for {{.*}} step %c1 iter_args
module attributes {norm.row_target = {rows_ahead = 3}} {
func.func @odd_rows_ahead(%x: memref<64x128xf32>, %sums: memref<2x128xf32>) {
  scf.forall (%i) in (2) {
    %y = memref.subview %sums[%i, 0] [1, 128] [1, 1] : memref<2x128xf32> to memref<128xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x128xf32>) outs(%y : memref<128xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %1 = arith.addf %o, %a : f32
      linalg.yield %1 : f32
    }
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 48>>}
  return
}
}

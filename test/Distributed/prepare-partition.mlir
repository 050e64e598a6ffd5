// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-prepare-partition))' --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A move from rows to columns gathers first.
// CHECK-LABEL: func.func @move
// CHECK: %[[ROWS:.*]] = shard.shard %arg0 to
// CHECK: %[[WHOLE:.*]] = shard.sharding @g split_axes = {{\[\[}}], []]
// CHECK: %[[GATHERED:.*]] = shard.shard %[[ROWS]] to %[[WHOLE]] annotate_for_users
// CHECK: shard.shard %[[GATHERED]] to %{{.*}} annotate_for_users
shard.grid @g(shape = 2)
func.func @move(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// An argument that no op uses is whole; of several uses, the first says what the
// argument is.
// CHECK-LABEL: func.func @uses
// CHECK-DAG: shard.shard %arg1 to
// CHECK-DAG: %[[MADE:.*]] = shard.shard %arg0 to
// CHECK-COUNT-2: shard.shard %[[MADE]] to %{{.*}} annotate_for_users
func.func @uses(%x: tensor<8x16xf32>, %unused: tensor<4xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %rows annotate_for_users : tensor<8x16xf32>
  %1 = shard.shard %x to %rows annotate_for_users : tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// The index is that of all ranks, and what the body reads is whole.
// CHECK-LABEL: func.func @body
// CHECK: %[[WHOLE:.*]] = shard.sharding @g split_axes = {{\[\[}}], []]
// CHECK: %[[ALL:.*]] = shard.shard %{{.*}} to %[[WHOLE]] annotate_for_users
// CHECK: linalg.generic
// CHECK: %[[LOCAL:.*]] = linalg.index 1
// CHECK: %[[RANK:.*]] = shard.process_multi_index on @g axes = [0]
// CHECK: %[[C8:.*]] = arith.constant 8
// CHECK: %[[BEGIN:.*]] = arith.muli %[[RANK]], %[[C8]]
// CHECK: %[[INDEX:.*]] = arith.addi %[[BEGIN]], %[[LOCAL]]
// CHECK: tensor.extract %[[ALL]][%{{.*}}, %[[INDEX]]]
func.func @body(%x: tensor<8x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %columns : tensor<8x16xf32>
  %3 = shard.shard %2 to %columns annotate_for_users : tensor<8x16xf32>
  %4 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%3 : tensor<8x16xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %1[%i, %j] : tensor<8x16xf32>
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %5 = shard.shard %4 to %columns : tensor<8x16xf32>
  return %5 : tensor<8x16xf32>
}

// One reduction of each result; a constant comes along.
// CHECK-LABEL: func.func @results
// CHECK: linalg.generic
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: arith.mulf %{{.*}}, %[[TWO]]
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK-NOT: arith.mulf
// CHECK: arith.maximumf
func.func @results(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %whole : tensor<8xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xf32>
  %two = arith.constant 2.0 : f32
  %4:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%3, %3 : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %two : f32
    %t = arith.addf %s, %b : f32
    %m = arith.maximumf %a, %c : f32
    linalg.yield %t, %m : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %5 = shard.shard %4#0 to %whole : tensor<8xf32>
  %6 = shard.shard %4#1 to %whole : tensor<8xf32>
  return %5, %6 : tensor<8xf32>, tensor<8xf32>
}

// Parts that an op cannot use together are moved to those of its result.
// CHECK-LABEL: func.func @together
// CHECK: %[[X:.*]] = shard.shard %arg0 to %{{.*}} annotate_for_users
// CHECK: shard.shard %arg1
// CHECK: %[[COLUMNS:.*]] = shard.sharding @g split_axes = {{\[\[}}], [0]]
// CHECK: %[[GATHERED:.*]] = shard.shard %[[X]] to
// CHECK: %[[MOVED:.*]] = shard.shard %[[GATHERED]] to %[[COLUMNS]] annotate_for_users
// CHECK: linalg.exp ins(%[[MOVED]] :
func.func @together(%x: tensor<8x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %rows annotate_for_users : tensor<8x16xf32>
  %1 = shard.shard %o to %columns annotate_for_users : tensor<8x16xf32>
  %2 = linalg.exp ins(%0 : tensor<8x16xf32>) outs(%1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = shard.shard %2 to %columns : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// A constant of several values is whole, in an op that the partition copies.
// CHECK-LABEL: func.func @constant
// CHECK: scf.execute_region
// CHECK: arith.constant dense<{{\[}}1, 2]>
func.func @constant() -> tensor<2xi32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  %1 = shard.shard %0 to %rows : tensor<2xi32>
  return %1 : tensor<2xi32>
}

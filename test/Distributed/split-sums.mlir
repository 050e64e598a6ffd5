// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-split-sums))' | FileCheck %s

shard.grid @g(shape = 2x4)
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A rank has 4 of 16 parts, and zeros for the others.
// CHECK: #[[$FIRST:.*]] = affine_map<()[s0] -> (s0 * 4)>
// CHECK-LABEL: func.func @shared
// CHECK-SAME: norm.sum_parts = 16
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 4, 16]
// CHECK: %[[EACH:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]] : tensor<?x4x16xf32>) outs(%{{.*}} : tensor<4x?xf32>)
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<16x?xf32>
// CHECK: %[[RANK:.*]] = shard.process_multi_index on @g axes = [1] : index
// CHECK: %[[AT:.*]] = affine.apply #[[$FIRST]]()[%[[RANK]]]
// CHECK: %[[OWN:.*]] = tensor.insert_slice %[[EACH]] into %[[ZEROS]][%[[AT]], 0]
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[OWN]] on @g grid_axes = [1] : tensor<16x?xf32> -> tensor<16x?xf32>
// CHECK: %[[P0:.*]] = tensor.extract_slice %[[ALL]][0, 0]
// CHECK: %[[P1:.*]] = tensor.extract_slice %[[ALL]][1, 0]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[P0]], %[[P1]], {{.*}}) outs(%{{.*}} : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%[[A:[^:]*]]: f32, %[[B:[^:]*]]: f32, %[[C:[^:]*]]: f32,
// CHECK-NEXT: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: arith.addf %[[AB]], %[[C]]
func.func @shared(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.addf %b, %p : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %r = shard.all_reduce %s on @g grid_axes = [1] : tensor<?xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Without a collective there are all 16 parts.
// CHECK-LABEL: func.func @whole
// CHECK: tensor.expand_shape %arg0 {{\[}}[0, 1], [2]] output_shape [16, 2, 64]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} {{.*}} outs(%{{.*}} : tensor<16x64xf32>)
// CHECK-NOT: all_reduce
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
func.func @whole(%x: tensor<32x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<32x64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.addf %b, %a : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// Two grid axes: the linear place of the rank. The first dimension of extent 1 has no parts.
// CHECK-LABEL: func.func @two_axes
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "reduction", "parallel"]}
// CHECK: shard.process_multi_index on @g axes = [0, 1] : index, index
// CHECK: affine.apply #{{.*}}()[%{{.*}}, %{{.*}}]
func.func @two_axes(%x: tensor<1x8x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x : tensor<1x8x64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.addf %b, %a : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  %r = shard.all_reduce %s on @g grid_axes = [0, 1] {norm.split_dim = 1 : i64} : tensor<64xf32> -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// No 16 equal parts, a maximum, an integer sum, and a matmul that no rank shares: as they are.
// CHECK-LABEL: func.func @left
// CHECK-NOT: expand_shape
func.func @left(%x: tensor<8x63xf32>, %n: tensor<8xi32>, %a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x63xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %t = shard.all_reduce %s on @g grid_axes = [1] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %u = shard.all_reduce %n on @g grid_axes = [1] : tensor<8xi32> -> tensor<8xi32>
  %d = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %s, %t, %u, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<16x16xf32>
}

// A maximum over ranks of sums that each of them has whole.
// CHECK-LABEL: func.func @maximum
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: shard.all_reduce %[[SUM]] on @g grid_axes = [1] reduction = max : tensor<8xf32> -> tensor<8xf32>
func.func @maximum(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %t = shard.all_reduce %s on @g grid_axes = [1] reduction = max : tensor<8xf32> -> tensor<8xf32>
  return %t : tensor<8xf32>
}

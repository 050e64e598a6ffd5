// The norms of a decoder layer whose projections are split over four ranks: those of queries and
// keys are of rows of which each rank has a part. A product stands for attention.
shard.grid @ranks(shape = 4)
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @layer(%x: tensor<16x64xf32>, %w: tensor<64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>,
                 %q_weight: tensor<64xf32>, %k_weight: tensor<64xf32>, %wo: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %columns = shard.sharding @ranks split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
  %wq0 = shard.shard %wq to %columns : tensor<64x64xf32>
  %wq1 = shard.shard %wq0 to %columns annotate_for_users : tensor<64x64xf32>
  %wk0 = shard.shard %wk to %columns : tensor<64x64xf32>
  %wk1 = shard.shard %wk0 to %columns annotate_for_users : tensor<64x64xf32>
  %wo0 = shard.shard %wo to %rows : tensor<64x64xf32>
  %wo1 = shard.shard %wo0 to %rows annotate_for_users : tensor<64x64xf32>

  %h = norm.rmsnorm ins(%x, %w : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<16x64xf32>
  %q = linalg.matmul ins(%h, %wq1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<16x64xf32>) -> tensor<16x64xf32>
  %k = linalg.matmul ins(%h, %wk1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<16x64xf32>) -> tensor<16x64xf32>
  %qn = norm.rmsnorm ins(%q, %q_weight : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<16x64xf32>
  %kn = norm.rmsnorm ins(%k, %k_weight : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<16x64xf32>
  %a = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%qn, %kn : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%p: f32, %r: f32, %o: f32):
    %m = arith.mulf %p, %r : f32
    linalg.yield %m : f32
  } -> tensor<16x64xf32>
  %o = linalg.matmul ins(%a, %wo1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}

// No op of tm_tensor can be split over ranks yet, which is an error at the op.
// RUN: not norm-opt %s --norm-to-mpi 2>&1 | FileCheck %s
// CHECK: sharded.mlir:[[#@LINE+6]]:8: error: 'scf.for' op sharding interface is not implemented
shard.grid @grid(shape = 2)
func.func @main(%x: tensor<8xf32>, %i: tensor<8x1xi64>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %sx = shard.shard %x to %s : tensor<8xf32>
  %ux = shard.shard %sx to %s annotate_for_users : tensor<8xf32>
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%ux, %i : tensor<8xf32>, tensor<8x1xi64>) outs(%o : tensor<8xf32>) {
  ^bb0(%n: f32, %e: f32):
    tm_tensor.yield %n : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

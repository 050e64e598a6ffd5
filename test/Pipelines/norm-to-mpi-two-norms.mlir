// RUN: norm-opt %s --norm-to-mpi | FileCheck %s

// The query and key norms of a layer share one all-reduce of two f32 a row, f16 rows too.
// CHECK-LABEL: func.func @query_key(
// CHECK: mpi.allreduce({{.*}}) : memref<16xf32>, memref<16xf32>
// CHECK-NOT: mpi.allreduce
shard.grid @g(shape = 4)
func.func @query_key(%q: tensor<8x64xf16>, %k: tensor<8x32xf16>) -> (tensor<8x64xf16>, tensor<8x32xf16>) {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %q0 = shard.shard %q to %s : tensor<8x64xf16>
  %q1 = shard.shard %q0 to %s annotate_for_users : tensor<8x64xf16>
  %k0 = shard.shard %k to %s : tensor<8x32xf16>
  %k1 = shard.shard %k0 to %s annotate_for_users : tensor<8x32xf16>
  %qi = tensor.empty() : tensor<8x64xf16>
  %ki = tensor.empty() : tensor<8x32xf16>
  %qy = norm.rmsnorm ins(%q1 : tensor<8x64xf16>) outs(%qi : tensor<8x64xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf16>
  %ky = norm.rmsnorm ins(%k1 : tensor<8x32xf16>) outs(%ki : tensor<8x32xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x32xf16>
  return %qy, %ky : tensor<8x64xf16>, tensor<8x32xf16>
}

// RUN: norm-opt %s --norm-to-mpi | FileCheck %s
// RUN: norm-opt %s --norm-to-mpi | norm-compile - --emit=llvm-ir -o - | FileCheck %s --check-prefix=LLVM

// An unfused norm with annotations: recognized, split, one f32 a row added over ranks.
// CHECK-NOT: shard.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME: tensor<8x16xf32>
// CHECK: mpi.allreduce({{.*}}) : memref<8xf32>, memref<8xf32>
// CHECK-NOT: mpi.allreduce
// LLVM: call i32 @MPI_Allreduce(ptr {{.*}}inttoptr (i64 -1 to ptr)
shard.grid @g(shape = 4)
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @norm(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %a : f32
    %d = arith.addf %b, %c : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  %i = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %sum : tensor<8x64xf32>, tensor<8xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.constant 64.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %m = arith.divf %b, %n : f32
    %p = arith.addf %m, %eps : f32
    %r = math.rsqrt %p : f32
    %z = arith.mulf %a, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

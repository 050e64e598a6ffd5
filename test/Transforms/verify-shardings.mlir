// RUN: norm-opt %s --norm-verify-shardings --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @even
shard.grid @g(shape = 2x2)
func.func @even(%x: tensor<8x64xf32>, %y: tensor<?x64xf32>) -> (tensor<8x64xf32>, tensor<?x64xf32>) {
  %s = shard.sharding @g split_axes = [[0, 1], []] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %y to %s : tensor<?x64xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<?x64xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @rows(%x: tensor<7x64xf32>) -> tensor<7x64xf32> {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  // expected-error @below {{has 7 elements along dimension 0, which the 4 ranks of its grid axes do not divide evenly}}
  %0 = shard.shard %x to %s : tensor<7x64xf32>
  return %0 : tensor<7x64xf32>
}

// -----

// Of two axes, the product counts.
shard.grid @g(shape = 2x2)
func.func @columns(%x: tensor<8x4098xf32>) -> tensor<8x4098xf32> {
  %s = shard.sharding @g split_axes = [[], [0, 1]] : !shard.sharding
  // expected-error @below {{has 4098 elements along dimension 1, which the 4 ranks}}
  %0 = shard.shard %x to %s : tensor<8x4098xf32>
  return %0 : tensor<8x4098xf32>
}

// -----

// RUN: not norm-opt %s --norm-verify-shardings=ranks=8 --split-input-file 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: error: is of 4 ranks, not of 8
// RANKS: error: has dynamic extents, not those of 8 ranks
// RANKS: error: has no shard.grid of 8 ranks
shard.grid @dynamic(shape = ?)

// -----

func.func private @none()

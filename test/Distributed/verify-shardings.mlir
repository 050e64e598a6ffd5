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

shard.grid @g(shape = 2)
func.func @axis(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[], [3]] : !shard.sharding
  // expected-error @below {{is split over axis 3, which the grid @g does not have}}
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @dimension(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[], [], [0]] : !shard.sharding
  // expected-error @below {{has no dimension 2 to split}}
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @halo(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  // expected-error @below {{has halo sizes, which are not supported}}
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @offsets(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
  // expected-error @below {{has offsets of parts, which are not supported}}
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// expected-error @below {{has the extent 0: no rank}}
shard.grid @g(shape = 2x0)
func.func @none(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// The product is 2, modulo 2 to the 64.
// expected-error @below {{is of more ranks than MPI has}}
shard.grid @g(shape = 3x6148914691236517206)
func.func @overflow(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2)
shard.grid @h(shape = 2)
func.func @grids(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @below {{is of @h in a function with shardings of @g: a function has one grid}}
  %t = shard.sharding @h split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  %1 = shard.shard %0 to %t annotate_for_users : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @unknown(%x: tensor<8x16xf32>, %s: !shard.sharding) -> tensor<8x16xf32> {
  // expected-error @below {{has a sharding that is not known here}}
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// RUN: not norm-opt %s --norm-verify-shardings=ranks=8 --split-input-file 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: error: is of 4 ranks, not of 8
// RANKS: error: has dynamic extents, not those of 8 ranks
// RANKS: error: has no shard.grid of 8 ranks
shard.grid @dynamic(shape = ?)

// -----

func.func private @none()

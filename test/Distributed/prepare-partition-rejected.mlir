// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-prepare-partition))' --split-input-file --verify-diagnostics

shard.grid @g(shape = 2)
func.func @difference(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %whole : tensor<8xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xf32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%3 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %5 = shard.shard %4 to %whole : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @scaled(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %whole : tensor<8xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xf32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%3 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %h = arith.constant 0.5 : f32
    %w = arith.mulf %b, %h : f32
    %v = arith.addf %a, %w : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %5 = shard.shard %4 to %whole : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @fma(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %whole : tensor<8xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xf32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%3 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = math.fma %a, %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %5 = shard.shard %4 to %whole : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

// MPI would take the maximum of signed integers.
shard.grid @g(shape = 2)
func.func @unsigned(%x: tensor<8x16xi32>, %o: tensor<8xi32>) -> tensor<8xi32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xi32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xi32>
  %2 = shard.shard %o to %whole : tensor<8xi32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xi32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xi32>) outs(%3 : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %v = arith.maxui %a, %b : i32
    linalg.yield %v : i32
  } -> tensor<8xi32>
  %5 = shard.shard %4 to %whole : tensor<8xi32>
  return %5 : tensor<8xi32>
}

// -----

// Upstream would add the parts.
shard.grid @g(shape = 2)
func.func @conjunction(%x: tensor<8x16xi32>, %o: tensor<8xi32>) -> tensor<8xi32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xi32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xi32>
  %2 = shard.shard %o to %whole : tensor<8xi32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xi32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xi32>) outs(%3 : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %v = arith.andi %a, %b : i32
    linalg.yield %v : i32
  } -> tensor<8xi32>
  %5 = shard.shard %4 to %whole : tensor<8xi32>
  return %5 : tensor<8xi32>
}

// -----

shard.grid @g(shape = 2)
func.func @maxnum(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %whole : tensor<8xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xf32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%3 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.maxnumf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %5 = shard.shard %4 to %whole : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @bits(%x: tensor<8x16xi1>, %o: tensor<8xi1>) -> tensor<8xi1> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xi1>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xi1>
  %2 = shard.shard %o to %whole : tensor<8xi1>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xi1>
  // expected-error @below {{'linalg.generic' op reduces elements of type 'i1' over ranks, for which MPI has no datatype}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xi1>) outs(%3 : tensor<8xi1>) {
  ^bb0(%a: i1, %b: i1):
    %v = arith.ori %a, %b : i1
    linalg.yield %v : i1
  } -> tensor<8xi1>
  %5 = shard.shard %4 to %whole : tensor<8xi1>
  return %5 : tensor<8xi1>
}

// -----

shard.grid @g(shape = 2)
func.func @captured(%x: tensor<8x16xf32>, %o: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  %2 = shard.shard %o to %whole : tensor<8xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<8xf32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share with a value from outside of its body}}
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%3 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %w = arith.mulf %a, %s : f32
    %v = arith.addf %w, %b : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %5 = shard.shard %4 to %whole : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @dependent(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  // expected-error @below {{'linalg.generic' op reduces a dimension that ranks share to result 0 in a way that MPI has no reduction for}}
  %2:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<8x16xf32>) outs(%o, %o : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %2#0, %2#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @index(%x: tensor<?xindex>) -> tensor<?xindex> {
  %parts = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %parts : tensor<?xindex>
  %1 = shard.shard %0 to %parts annotate_for_users : tensor<?xindex>
  // expected-error @below {{'linalg.generic' op uses the index of dimension 0, which ranks share, and where a rank's part begins is not known}}
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%1 : tensor<?xindex>) {
  ^bb0(%a: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<?xindex>
  %3 = shard.shard %2 to %parts : tensor<?xindex>
  return %3 : tensor<?xindex>
}

// -----

shard.grid @g(shape = 2)
func.func @empty(%n: index) -> tensor<?xf32> {
  %parts = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @below {{'tensor.empty' op is split along dimension 0, whose extent is that of all ranks}}
  %0 = tensor.empty(%n) : tensor<?xf32>
  %1 = shard.shard %0 to %parts : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @window(%x: tensor<9xf32>, %k: tensor<2xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %whole = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %whole : tensor<9xf32>
  // expected-error @below {{'linalg.conv_1d' op reads other elements than those of its loops, of which a rank may not have all}}
  %1 = linalg.conv_1d ins(%0, %k : tensor<9xf32>, tensor<2xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @results(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  // expected-error @below {{'linalg.generic' op has results with parts that do not belong together}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%x, %x : tensor<8x16xf32>, tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b, %a : f32, f32
  } -> (tensor<8x16xf32>, tensor<8x16xf32>)
  %1 = shard.shard %0#0 to %rows : tensor<8x16xf32>
  %2 = shard.shard %0#1 to %columns : tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @other(%x: tensor<8xf32>) -> tensor<4xf32> {
  %parts = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %parts : tensor<8xf32>
  // expected-error @below {{'tensor.extract_slice' op is not known to be right on parts of tensors}}
  %1 = tensor.extract_slice %0[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
// expected-error @below {{'func.func' op has shardings and several blocks}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  %parts = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %parts : tensor<8xf32>
  cf.br ^end
^end:
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @named(%x: tensor<8x16xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  // expected-error @below {{'linalg.reduce' op reduces to several results over ranks}}
  %2:2 = linalg.reduce ins(%1, %1 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%a, %b : tensor<8xf32>, tensor<8xf32>) dimensions = [1]
    (%in: f32, %other: f32, %c: f32, %d: f32) {
      %s = arith.addf %in, %c : f32
      %t = arith.maximumf %other, %d : f32
      linalg.yield %s, %t : f32, f32
    }
  return %2#0, %2#1 : tensor<8xf32>, tensor<8xf32>
}

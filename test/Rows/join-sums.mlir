// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-form-rows{scheduled},norm-tile-rows{scheduled}),canonicalize,cse)' | FileCheck %s
// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-form-rows{scheduled},norm-tile-rows{scheduled},canonicalize,cse),one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(canonicalize,norm-vectorize-rows{scheduled},canonicalize))' | FileCheck %s --check-prefix=VECTOR

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A sum over rows that another op reads, too, is made in the loop of the latter, wherever
// it stood. 250 rows are 125 parts of 2.
// CHECK-LABEL: @joined(
// CHECK: %[[R:.*]]:2 = scf.forall (%[[PART:.*]]) in (125) shared_outs(%[[O:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (tensor<250x1024xf32>, tensor<125x1024xf32>)
// CHECK: %[[B:.*]] = tensor.extract_slice %[[O]][%{{.*}}, 0] [2, 1024] [1, 1]
// CHECK: %[[S:.*]] = tensor.extract_slice %[[P]][%[[PART]], 0] [1, 1024] [1, 1] : tensor<125x1024xf32> to tensor<1024xf32>
// CHECK: %[[N:.*]] = linalg.fill ins(%{{.*}}) outs(%[[S]]
// CHECK: %[[F:.*]]:2 = scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%[[ROWS:.*]] = %[[B]], %[[SUM:.*]] = %[[N]])
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: %[[T:.*]]:2 = linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} outs(%{{.*}}, %[[SUM]] : tensor<1x1024xf32>, tensor<1024xf32>)
// CHECK: scf.yield %{{.*}}, %[[T]]#1
// CHECK: {norm.loop = #norm.loop<rows>}
// CHECK: tensor.parallel_insert_slice %[[F]]#1 into %[[P]][%[[PART]], 0] [1, 1024] [1, 1]
// CHECK: norm.loop = #norm.loop<rows, <threads = 128, vector = 4, lanes = 1024, registers =
// CHECK: scf.forall (%{{.*}}) = (0) to (1024) step (128)
// CHECK: %[[B:.*]] = tensor.extract_slice %[[R]]#1[0, %{{.*}}] [125, 128] [1, 1]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} ins(%[[B]] : tensor<125x128xf32>)

// A row is written before it is added to the sums, because then it needs no registers.
// VECTOR-LABEL: @joined(
// VECTOR: %[[Y:.*]] = arith.subf %{{.*}} : vector<1024xf32>
// VECTOR: vector.transfer_write %[[Y]]
// VECTOR: %[[W:.*]] = arith.addf %{{.*}} : vector<1024xf32>
// VECTOR: vector.transfer_write %[[W]]
func.func @joined(%x: tensor<250x1024xf32>, %e: tensor<250x1024xf32>, %z: tensor<250xf32>, %c: tensor<1024xf32>) -> (tensor<250x1024xf32>, tensor<1024xf32>) {
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<250x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<250x1024xf32>) outs(%z : tensor<250xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<250xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<250x1024xf32>, tensor<250xf32>) outs(%e : tensor<250x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<250x1024xf32>
  return %y, %w : tensor<250x1024xf32>, tensor<1024xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// The sum uses what the loop makes of each row; nothing behind the loop reads that, so it
// needs no memory for all rows. Of an unknown number of rows the last part may have fewer.
// CHECK-LABEL: @of_statistic(
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) shared_outs(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?x1024xf32>, tensor<?x1024xf32>)
// CHECK: affine.min
// CHECK: scf.for
// CHECK: %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} ins(%{{.*}}, %[[S]] : tensor<1x1024xf32>, tensor<1xf32>)
// CHECK-NOT: parallel_insert_slice {{.*}} into tensor<?xf32>
// CHECK: return
func.func @of_statistic(%x: tensor<?x1024xf32>, %e: tensor<?x1024xf32>, %c: tensor<1024xf32>) -> (tensor<?x1024xf32>, tensor<1024xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %t = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x1024xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x1024xf32>, tensor<?xf32>) outs(%e : tensor<?x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x1024xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #column], iterator_types = ["reduction", "parallel"]} ins(%x, %s : tensor<?x1024xf32>, tensor<?xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %r: f32, %b: f32):
    %0 = arith.mulf %a, %r : f32
    %1 = arith.addf %b, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1024xf32>
  return %y, %w : tensor<?x1024xf32>, tensor<1024xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Not joined: rows that no block can hold with their sums, rows that the loop makes, a
// body that numbers its rows, one part.
// CHECK-LABEL: @long(
// CHECK: scf.forall (%{{.*}}) in (64)
// CHECK-NOT: scf.for %
// CHECK-LABEL: @result(
// CHECK-NOT: scf.for %
// CHECK-LABEL: @numbered(
// CHECK-NOT: scf.for %
// CHECK-LABEL: @few(
// CHECK-NOT: scf.for %
func.func @long(%x: tensor<64x16384xf32>, %e: tensor<64x16384xf32>, %z: tensor<64xf32>, %c: tensor<16384xf32>) -> (tensor<64x16384xf32>, tensor<16384xf32>) {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x16384xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x16384xf32>, tensor<64xf32>) outs(%e : tensor<64x16384xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x16384xf32>
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<64x16384xf32>) outs(%c : tensor<16384xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<16384xf32>
  return %y, %w : tensor<64x16384xf32>, tensor<16384xf32>
}
func.func @result(%x: tensor<64x1024xf32>, %e: tensor<64x1024xf32>, %z: tensor<64xf32>, %c: tensor<1024xf32>) -> (tensor<64x1024xf32>, tensor<1024xf32>) {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1024xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x1024xf32>, tensor<64xf32>) outs(%e : tensor<64x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x1024xf32>
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<64x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %y, %w : tensor<64x1024xf32>, tensor<1024xf32>
}
func.func @numbered(%x: tensor<64x1024xf32>, %e: tensor<64x1024xf32>, %z: tensor<64xf32>, %c: tensor<1024xf32>) -> (tensor<64x1024xf32>, tensor<1024xf32>) {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1024xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x1024xf32>, tensor<64xf32>) outs(%e : tensor<64x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x1024xf32>
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<64x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = arith.mulf %a, %f : f32
    %0 = arith.addf %b, %v : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %y, %w : tensor<64x1024xf32>, tensor<1024xf32>
}
func.func @few(%x: tensor<2x1024xf32>, %e: tensor<2x1024xf32>, %z: tensor<2xf32>, %c: tensor<1024xf32>) -> (tensor<2x1024xf32>, tensor<1024xf32>) {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x1024xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<2x1024xf32>, tensor<2xf32>) outs(%e : tensor<2x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x1024xf32>
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<2x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %y, %w : tensor<2x1024xf32>, tensor<1024xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A sum that needs a statistic of each row has a loop over rows without another result.
// CHECK-LABEL: @alone(
// CHECK: scf.forall (%{{.*}}) in (125) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<125x1024xf32>)
// CHECK: scf.for
// CHECK: %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} ins(%{{.*}}, %[[S]] : tensor<1x1024xf32>, tensor<1xf32>)
func.func @alone(%x: tensor<250x1024xf32>, %c: tensor<1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<250xf32>
  %z = linalg.fill ins(%zero : f32) outs(%t : tensor<250xf32>) -> tensor<250xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<250x1024xf32>) outs(%z : tensor<250xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<250xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #column], iterator_types = ["reduction", "parallel"]} ins(%x, %s : tensor<250x1024xf32>, tensor<250xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %r: f32, %b: f32):
    %0 = arith.mulf %a, %r : f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %b, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1024xf32>
  return %w : tensor<1024xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>

// Each of two sums that joined has its own loop over its parts, in which its reader is.
// CHECK-LABEL: @rounded(
// CHECK: scf.forall (%{{.*}}) in (125)
// CHECK-COUNT-2: scf.forall (%{{.*}}) = (0) to (1024)
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @rounded(%x: tensor<250x1024xf32>, %g: tensor<250x1024xf32>, %e: tensor<250x1024xf32>, %c: tensor<1024xf32>, %d: tensor<1024xbf16>, %z: tensor<250xf32>) -> (tensor<250x1024xf32>, tensor<1024xbf16>, tensor<1024xbf16>) {
  %r = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %g : tensor<250x1024xf32>, tensor<250x1024xf32>) outs(%z : tensor<250xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<250xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %g, %r : tensor<250x1024xf32>, tensor<250x1024xf32>, tensor<250xf32>) outs(%e : tensor<250x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %c0: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %c0 : f32
    linalg.yield %1 : f32
  } -> tensor<250x1024xf32>
  %v = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<250x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%g : tensor<250x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<1024xf32>) outs(%d : tensor<1024xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<1024xbf16>
  %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%w : tensor<1024xf32>) outs(%d : tensor<1024xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<1024xbf16>
  return %y, %s, %t : tensor<250x1024xf32>, tensor<1024xbf16>, tensor<1024xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Nothing is reduced along these rows: the sum has a loop of its own.
// CHECK-LABEL: @elementwise(
// CHECK-NOT: scf.for %
// CHECK: return
func.func @elementwise(%x: tensor<250x1024xf32>, %e: tensor<250x1024xf32>, %c: tensor<1024xf32>) -> (tensor<250x1024xf32>, tensor<1024xf32>) {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<250x1024xf32>) outs(%e : tensor<250x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<250x1024xf32>
  %w = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<250x1024xf32>) outs(%c : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %y, %w : tensor<250x1024xf32>, tensor<1024xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Rows of nothing are no rows that threads could hold.
// CHECK-LABEL: @no_columns(
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_columns(%x: tensor<250x0xf32>, %c: tensor<0xf32>) -> tensor<0xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<250xf32>
  %z = linalg.fill ins(%zero : f32) outs(%t : tensor<250xf32>) -> tensor<250xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<250x0xf32>) outs(%z : tensor<250xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<250xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #column], iterator_types = ["reduction", "parallel"]} ins(%x, %s : tensor<250x0xf32>, tensor<250xf32>) outs(%c : tensor<0xf32>) {
  ^bb0(%a: f32, %r: f32, %b: f32):
    %0 = arith.mulf %a, %r : f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %b, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<0xf32>
  return %w : tensor<0xf32>
}

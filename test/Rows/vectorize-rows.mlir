// RUN: norm-opt %s --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(norm-vectorize-rows,canonicalize,cse))' --split-input-file | FileCheck %s

// 4096 elements: four blocks of 16 strips of 64 lanes, no tail, one fixed tree.
// CHECK-LABEL: func @sum
// CHECK: %[[Z0:.*]] = arith.constant dense<-0.000000e+00> : vector<64xf32>
// CHECK: %[[V:.*]] = scf.for %[[B:.*]] = %c0 to %c4096 step %c1024 iter_args(%[[SUM:.*]] = %[[Z0]]) -> (vector<64xf32>)
// CHECK: %[[END:.*]] = arith.addi %[[B]], %c1024
// CHECK: %[[BLOCK:.*]] = scf.for %[[I:.*]] = %[[B]] to %[[END]] step %c64 iter_args(%[[PART:.*]] = %[[Z0]]) -> (vector<64xf32>)
// CHECK: %[[X:.*]] = vector.transfer_read %{{.*}}[%[[I]]], {{.*}} vector<64xf32>
// CHECK: arith.addf %[[PART]], %[[X]] : vector<64xf32>
// CHECK: } {norm.loop = #norm.loop<statistic>}
// CHECK: arith.addf %[[SUM]], %[[BLOCK]] : vector<64xf32>
// CHECK: } {norm.loop = #norm.loop<statistic>}
// CHECK-NOT: scf.for
// CHECK: vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [32]
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK-NOT: fastmath
func.func @sum(%x: tensor<4096xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4096xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// 100 = 64 + 2 * 16 + 4: the last 4 are one vector, no scalar loop.
// CHECK-LABEL: func @tail
// CHECK: vector.transfer_read {{.*}} vector<64xbf16>
// CHECK: arith.extf {{.*}} : vector<64xbf16> to vector<64xf32>
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<16xbf16>
// CHECK: vector.transfer_read {{.*}} vector<4xbf16>
// CHECK: vector.transfer_write {{.*}} : vector<4xf32>
// CHECK-NOT: memref.load
func.func @tail(%x: tensor<100xbf16>, %i: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<100xbf16>) outs(%i : tensor<100xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %c = arith.extf %a : bf16 to f32
    linalg.yield %c : f32
  } -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// -----

// Lanes past the end add the neutral element of the combiner, not what the body
// makes of a zero.
// CHECK-LABEL: func @masked_max
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: %[[E:.*]] = math.exp {{.*}} : vector<16xf32>
// CHECK: arith.select %{{.*}}, %[[E]], %[[LOW]]
func.func @masked_max(%x: tensor<3xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<3xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    %c = arith.maximumf %e, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A strided innermost dimension is left to convert-linalg-to-loops.
// CHECK-LABEL: func @strided
// CHECK: linalg.generic
func.func @strided(%x: tensor<8x4xf32>, %i: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%i : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Three levels at most, which a row of unknown length gets; no block reaches past
// the end of the one around it.
// CHECK-LABEL: func @dynamic_sum
// CHECK: scf.for {{.*}} step %c262144 iter_args
// CHECK: %[[OUTER:.*]] = arith.minsi
// CHECK: scf.for {{.*}} step %c16384 iter_args
// CHECK: %[[MIDDLE:.*]] = arith.minsi %{{.*}}, %[[OUTER]]
// CHECK: scf.for {{.*}} step %c1024 iter_args
// CHECK: %[[INNER:.*]] = arith.minsi %{{.*}}, %[[MIDDLE]]
// CHECK: scf.for {{.*}} to %[[INNER]] step %c64 iter_args
func.func @dynamic_sum(%x: tensor<?xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The order of a maximum does not show: no blocks.
// CHECK-LABEL: func @long_max
// CHECK: scf.for %{{.*}} = %c0 to %c4096 step %c64 iter_args
// CHECK-NOT: scf.for
func.func @long_max(%x: tensor<4096xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4096xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Elements that are no lanes of a vector: left to loops.
// CHECK-LABEL: func @sum_of_vectors
// CHECK: linalg.generic
// CHECK-LABEL: func @complex_result
// CHECK: linalg.generic
func.func @sum_of_vectors(%x: tensor<5xvector<5xf32>>, %i: tensor<vector<5xf32>>) -> tensor<vector<5xf32>> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<5xvector<5xf32>>) outs(%i : tensor<vector<5xf32>>) {
  ^bb0(%a: vector<5xf32>, %b: vector<5xf32>):
    %c = arith.addf %a, %b : vector<5xf32>
    linalg.yield %c : vector<5xf32>
  } -> tensor<vector<5xf32>>
  return %r : tensor<vector<5xf32>>
}

func.func @complex_result(%x: tensor<5xcomplex<f32>>, %i: tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<5xcomplex<f32>>) outs(%i : tensor<5xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %c = complex.mul %a, %a : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<5xcomplex<f32>>
  return %r : tensor<5xcomplex<f32>>
}

// -----

// A format without infinities: the lowest number. Of a NaN and a number maxnumf
// takes the number.
// CHECK-LABEL: func @max_f8
// CHECK: arith.constant dense<-4.480000e+02> : vector<64xf8E4M3FN>
// CHECK-LABEL: func @maxnum
// CHECK: arith.constant dense<0x7FC00000> : vector<64xf32>
func.func @max_f8(%x: tensor<64xf8E4M3FN>, %i: tensor<f8E4M3FN>) -> tensor<f8E4M3FN> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<64xf8E4M3FN>) outs(%i : tensor<f8E4M3FN>) {
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
    %c = arith.maximumf %a, %b : f8E4M3FN
    linalg.yield %c : f8E4M3FN
  } -> tensor<f8E4M3FN>
  return %r : tensor<f8E4M3FN>
}

func.func @maxnum(%x: tensor<128xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<128xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Memory has gaps between such elements, or holds more than their bits; a vector
// of them would be packed.
// CHECK-LABEL: func @gaps
// CHECK-NOT: vector.
// CHECK-COUNT-4: linalg.generic
// CHECK: return
func.func @gaps(%a: tensor<64xf80>, %b: tensor<64xi1>, %c: tensor<64xui4>, %d: tensor<64xi24>, %t: i1)
    -> (tensor<64xf80>, tensor<64xi1>, tensor<64xui4>, tensor<64xi24>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : tensor<64xf80>) {
  ^bb0(%x: f80):
    %y = arith.addf %x, %x : f80
    linalg.yield %y : f80
  } -> tensor<64xf80>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : tensor<64xi1>) outs(%b : tensor<64xi1>) {
  ^bb0(%x: i1, %o: i1):
    %y = arith.andi %x, %o : i1
    linalg.yield %y : i1
  } -> tensor<64xi1>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%c : tensor<64xui4>) outs(%c : tensor<64xui4>) {
  ^bb0(%x: ui4, %o: ui4):
    %y = arith.select %t, %x, %o : ui4
    linalg.yield %y : ui4
  } -> tensor<64xui4>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%d : tensor<64xi24>) {
  ^bb0(%x: i24):
    %y = arith.addi %x, %x : i24
    linalg.yield %y : i24
  } -> tensor<64xi24>
  return %0, %1, %2, %3 : tensor<64xf80>, tensor<64xi1>, tensor<64xui4>, tensor<64xi24>
}

// -----

// In a loop with a schedule the vectors are those that its threads hold, and the
// sum is one op; what no threads share stays where the option says so.
// RUN: norm-opt %s --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(norm-vectorize-rows{scheduled},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED-LABEL: func @sum
// SCHEDULED-NOT: vector.transfer
// SCHEDULED-LABEL: func @scheduled
// SCHEDULED: vector.transfer_read {{.*}} vector<128xf32>
// SCHEDULED: vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<128xf32> into f32
// SCHEDULED: linalg.generic
func.func @scheduled(%x: tensor<8x128xf32>, %o: tensor<8xf32>, %n: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = scf.forall (%i) in (8) shared_outs(%p = %o) -> tensor<8xf32> {
    %r = tensor.extract_slice %x[%i, 0] [1, 128] [1, 1] : tensor<8x128xf32> to tensor<128xf32>
    %e = tensor.extract_slice %p[%i] [1] [1] : tensor<8xf32> to tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%r : tensor<128xf32>) outs(%e : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %p[%i] [1] [1] : tensor<f32> into tensor<8xf32>
    }
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : tensor<8xf32>) outs(%n : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

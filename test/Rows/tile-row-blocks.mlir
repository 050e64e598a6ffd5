// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows,canonicalize,cse))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows{parallel=true},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=PAR
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows{scheduled},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=ONE

// 16 rows of 64 per iteration; one where a row must be one vector.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @even
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[C64]] step %[[C16]]
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], 0] [16, 64] [1, 1]
// CHECK: tensor.insert_slice %{{.*}}[%[[I]], 0] [16, 64] [1, 1]
// CHECK-NOT: scf.for
// PAR-LABEL: func @even
// PAR: scf.forall (%{{.*}}) = (0) to (64) step (16)
// ONE-LABEL: func @even
// ONE: tensor.extract_slice %{{.*}}, 0] [1, 64] [1, 1]
func.func @even(%x: tensor<64x64xf32>, %zero: tensor<64xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x64xf32>) outs(%zero : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Full blocks, then row by row; a parallel loop has no place for what is left.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @dynamic
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[FULL:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[Y:.*]] = scf.for %{{.*}} = %{{.*}} to %[[FULL]] step %c16
// CHECK: tensor.extract_slice %{{.*}}, 0] [16, 64] [1, 1]
// CHECK: scf.for %{{.*}} = %[[FULL]] to %[[N]] step %c1 iter_args(%{{.*}} = %[[Y]])
// CHECK: tensor.extract_slice %{{.*}}, 0] [1, 64] [1, 1]
// PAR-LABEL: func @dynamic
// PAR: scf.forall (%{{.*}}) in (%{{.*}})
// PAR: tensor.extract_slice %{{.*}}, 0] [1, 64] [1, 1]
func.func @dynamic(%x: tensor<?x64xf32>, %zero: tensor<?xf32>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%zero : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x64xf32>, tensor<?xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// Fewer rows a block where they are longer, none where they are long, and none
// without a reduction, which nothing waits for.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @longer
// CHECK: tensor.extract_slice %{{.*}}, 0] [4, 250] [1, 1]
func.func @longer(%x: tensor<64x250xf32>, %zero: tensor<64xf32>, %e: tensor<64x250xf32>) -> tensor<64x250xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x250xf32>) outs(%zero : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x250xf32>, tensor<64xf32>) outs(%e : tensor<64x250xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64x250xf32>
  return %y : tensor<64x250xf32>
}

// CHECK-LABEL: func @long
// CHECK: tensor.extract_slice %{{.*}}, 0] [1, 512] [1, 1]
func.func @long(%x: tensor<64x512xf32>, %zero: tensor<64xf32>, %e: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xf32>) outs(%zero : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x512xf32>, tensor<64xf32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

// CHECK-LABEL: func @elementwise
// CHECK-NOT: [16, 64]
func.func @elementwise(%x: tensor<64x64xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

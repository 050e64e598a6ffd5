// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-tile-rows,canonicalize,cse))' | FileCheck %s
// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-tile-rows{parallel},canonicalize,cse))' | FileCheck %s --check-prefix=FORALL

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
// Parts of 64 rows, blocks of 16, rows. Each part and each block starts a sum of
// its own; the statistic is fused. The parts are added to what the sum starts from.
// CHECK-LABEL: func @gradients
// CHECK-SAME: %[[X:.*]]: tensor<?x800xf32>, %[[O:.*]]: tensor<?x800xf32>, %[[Z:.*]]: tensor<800xf32>,
// CHECK: %[[PARTS:.*]] = tensor.empty(%{{.*}}) : tensor<?x800xf32>
// CHECK: %[[ALL:.*]]:2 = scf.for %[[N:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[OUT:.*]] = %[[O]], %[[SUMS:.*]] = %[[PARTS]])
// CHECK: %[[M:.*]] = affine.min {{.*}}(%[[N]])
// CHECK: %[[P:.*]] = affine.apply {{.*}}(%[[N]])
// CHECK: tensor.extract_slice %[[X]][%[[P]], 0] [%[[M]], 800]
// CHECK: tensor.extract_slice %[[OUT]][%[[P]], 0] [%[[M]], 800]
// CHECK: %[[SUM:.*]] = tensor.extract_slice %[[SUMS]][%[[N]], 0] [1, 800] [1, 1] : tensor<?x800xf32> to tensor<800xf32>
// CHECK: %[[START:.*]] = linalg.fill ins(%cst : f32) outs(%[[SUM]]
// CHECK: scf.for %[[B:.*]] = %c0 to %[[M]] step %c16 iter_args(%{{.*}} = %{{.*}}, %[[TOTAL:.*]] = %[[START]])
// CHECK: %[[NEUTRAL:.*]] = linalg.fill
// CHECK: %[[SIZE:.*]] = affine.min {{.*}}(%[[B]])[%[[M]]]
// CHECK: %[[END:.*]] = affine.apply {{.*}}(%[[B]])[%[[SIZE]]]
// CHECK: %[[ROWS:.*]]:2 = scf.for %{{.*}} = %[[B]] to %[[END]] step %c1 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[NEUTRAL]])
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]{{.*}} ins({{.*}}tensor<1x800xf32>, tensor<1xf32>)
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]]#1 : tensor<800xf32>) outs(%[[TOTAL]] : tensor<800xf32>)
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[ALL]]#1 : tensor<?x800xf32>) outs(%[[Z]] : tensor<800xf32>)
// CHECK-NOT: linalg.generic

// Threads share the parts, whose number they do not change.
// FORALL-LABEL: func @gradients
// FORALL: scf.forall (%[[N:.*]]) in (%{{.*}})
// FORALL: %[[P:.*]] = affine.apply {{.*}}(%[[N]])
// FORALL: scf.for {{.*}} step %c16
// FORALL: scf.for {{.*}} step %c1
// FORALL: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[P]], 0]
// FORALL: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[N]], 0] [1, 800]
// FORALL: {norm.loop = #norm.loop<rows>, norm.plan
func.func @gradients(%x: tensor<?x800xf32>, %o: tensor<?x800xf32>, %z: tensor<800xf32>, %e: tensor<?xf32>) -> (tensor<?x800xf32>, tensor<800xf32>) {
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x800xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.maximumf %t, %a : f32
    linalg.yield %n : f32
  } -> tensor<?xf32>
  %y:2 = linalg.generic {indexing_maps = [#id, #row, #id, #col], iterator_types = ["reduction", "parallel"]} ins(%x, %r : tensor<?x800xf32>, tensor<?xf32>) outs(%o, %z : tensor<?x800xf32>, tensor<800xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32, %t: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %t, %p : f32
    linalg.yield %p, %n : f32, f32
  } -> (tensor<?x800xf32>, tensor<800xf32>)
  return %y#0, %y#1 : tensor<?x800xf32>, tensor<800xf32>
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#col = affine_map<(d0, d1, d2) -> (d2)>
// Outer dimensions go one by one. Their parts are added in one op, whatever the
// combining op is; 32 rows are one part.
// CHECK-LABEL: func @outer
// CHECK: tensor.empty(%{{.*}}) : tensor<?x1x800xf32>
// CHECK: scf.for %{{.*}} step %c1
// CHECK: linalg.fill ins(%{{.*}} : f32)
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c16
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel"]} ins(%{{.*}} : tensor<?x1x800xf32>) outs(%arg1 : tensor<800xf32>)
// CHECK: arith.maximumf
// FORALL-LABEL: func @outer
// FORALL: scf.forall (%[[P:.*]]) in (%{{.*}})
// FORALL: tensor.parallel_insert_slice %{{.*}}[%[[P]], 0, 0] [1, 1, 800]
func.func @outer(%x: tensor<?x32x800xf32>, %z: tensor<800xf32>, %e: tensor<?x32xf32>) -> tensor<800xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x32x800xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.addf %t, %a : f32
    linalg.yield %n : f32
  } -> tensor<?x32xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #col], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x, %r : tensor<?x32x800xf32>, tensor<?x32xf32>) outs(%z : tensor<800xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %p = arith.divf %a, %b : f32
    %n = arith.maximumf %t, %p : f32
    linalg.yield %n : f32
  } -> tensor<800xf32>
  return %y : tensor<800xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// A sum that needs nothing of a row is left for norm-vectorize-rows.
// CHECK-LABEL: func @alone
// CHECK-NOT: scf.for
// FORALL-LABEL: func @alone
// FORALL-NOT: scf.forall
func.func @alone(%x: tensor<512x800xf32>, %z: tensor<800xf32>) -> tensor<800xf32> {
  %y = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<512x800xf32>) outs(%z : tensor<800xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.addf %t, %a : f32
    linalg.yield %n : f32
  } -> tensor<800xf32>
  return %y : tensor<800xf32>
}

// -----

// The statistic is needed before, so that a part has the sum alone, whose plan says
// nothing of blocks: no loop over single rows would follow them.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @needed_before
// CHECK: tensor.extract
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK-NOT: scf.for
// CHECK: ins(%{{.*}} : tensor<64x64xf32>, tensor<64xf32>) outs(%{{.*}}) attrs = {norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
// CHECK-NOT: scf.for
// FORALL-LABEL: func @needed_before
// FORALL: tensor.extract
// FORALL: scf.forall (%{{.*}}) in (8)
func.func @needed_before(%x: tensor<512x64xf32>, %i: tensor<512xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, f32) {
  %c0 = arith.constant 0 : index
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x64xf32>) outs(%i : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<512xf32>
  %e = tensor.extract %s[%c0] : tensor<512xf32>
  %t = linalg.generic {indexing_maps = [#id, #row, #col], iterator_types = ["reduction", "parallel"]} ins(%x, %s : tensor<512x64xf32>, tensor<512xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %q: f32, %b: f32):
    %m = arith.mulf %a, %q : f32
    %n = arith.mulf %m, %q : f32
    %c = arith.addf %n, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  return %t, %e : tensor<64xf32>, f32
}

// RUN: norm-opt %s --norm-tile-rows=scheduled --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
#none = affine_map<() -> ()>

// The fill, the sum and the scaling are one loop; the sum stays inside.
// CHECK-LABEL: func.func @row
// CHECK-SAME: (%[[X:.*]]: tensor<100xf32>, %[[Y:.*]]: tensor<100xf32>)
// CHECK: %[[R:.*]] = scf.forall (%{{.*}}) in (1) shared_outs(%[[O:.*]] = %[[Y]]) -> (tensor<100xf32>) {
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<100xf32>) outs(%[[F]]
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<100xf32>, tensor<f32>) outs(%[[O]]
// CHECK: tensor.parallel_insert_slice %[[Z]] into %[[O]][0] [100] [1]
// CHECK: } {mapping = [#gpu.block<linear_dim_0>], norm.loop = #norm.loop<rows, <threads
// CHECK: return %[[R]]
func.func @row(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : tensor<100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %z = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<100xf32>, tensor<f32>) outs(%y : tensor<100xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<100xf32>
  return %z : tensor<100xf32>
}

// -----

// Extents that are not known, and a sum that is a result too. What is written is the
// slice that is inserted, or bufferization would copy the row onto itself.
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[I:.*]]: tensor<f32>)
// CHECK: %[[R:.*]]:2 = scf.forall (%{{.*}}) in (1) shared_outs(%[[P:.*]] = %[[I]], %[[O:.*]] = %[[Y]])
// CHECK: %[[N:.*]] = tensor.dim %[[O]]
// CHECK: %[[W:.*]] = tensor.extract_slice %[[O]][0] [%[[N]]] [1]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} outs(%[[P]]
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} outs(%[[W]]
// CHECK: tensor.parallel_insert_slice %[[S]] into %[[P]][] [] []
// CHECK: tensor.parallel_insert_slice %[[Z]] into %[[O]][0] [%[[N]]] [1]
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %z = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<?xf32>, tensor<f32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %z, %s : tensor<?xf32>, tensor<f32>
}

// -----

// Not one row, which stays; and a value that the host needs before the row, which its
// threads share alone.
#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
#one = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @others
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x5xf32>)
// CHECK: %[[T:.*]] = scf.forall (%{{.*}}) in (1)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<100xf32>) outs(%{{.*}} : tensor<f32>)
// CHECK: } {mapping
// CHECK: tensor.extract %[[T]]
// CHECK-NOT: scf.forall
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[T]], %{{.*}} :
func.func @others(%x: tensor<4x5xf32>, %y: tensor<100xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<100xf32>) {
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<4x5xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %t = linalg.generic {indexing_maps = [#one, #none], iterator_types = ["reduction"]} ins(%y : tensor<100xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %v = tensor.extract %t[] : tensor<f32>
  %w = tensor.from_elements %v : tensor<f32>
  %z = linalg.generic {indexing_maps = [#one, #none, #none, #one], iterator_types = ["parallel"]} ins(%y, %t, %w : tensor<100xf32>, tensor<f32>, tensor<f32>) outs(%y : tensor<100xf32>) {
  ^bb0(%a: f32, %m: f32, %n: f32, %b: f32):
    %r = arith.mulf %a, %m : f32
    %q = arith.mulf %r, %n : f32
    linalg.yield %q : f32
  } -> tensor<100xf32>
  return %s, %z : tensor<f32>, tensor<100xf32>
}

// -----

// A result that is reshaped before the row that needs it has a loop of its own.
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @reshaped
// CHECK: %[[R:.*]] = scf.forall (%{{.*}}) in (1)
// CHECK: tensor.expand_shape %[[R]]
// CHECK-NOT: scf.forall
func.func @reshaped(%x: tensor<100xf32>, %y: tensor<100xf32>, %i: tensor<f32>) -> (tensor<100xf32>, tensor<1xf32>) {
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : tensor<100xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %e = tensor.expand_shape %s [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %z = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<100xf32>, tensor<f32>) outs(%y : tensor<100xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<100xf32>
  return %z, %e : tensor<100xf32>, tensor<1xf32>
}

// -----

// Elements of another length are not those of the row.
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @longer
// CHECK: %[[R:.*]] = scf.forall (%{{.*}}) in (1)
// CHECK: } {mapping
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[R]] : tensor<4096xf32>, tensor<f32>)
func.func @longer(%x: tensor<100xf32>, %y: tensor<4096xf32>, %i: tensor<f32>) -> tensor<4096xf32> {
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : tensor<100xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %z = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel"]} ins(%y, %s : tensor<4096xf32>, tensor<f32>) outs(%y : tensor<4096xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %z : tensor<4096xf32>
}

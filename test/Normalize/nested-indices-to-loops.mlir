// RUN: norm-opt %s --norm-nested-indices-to-loops --canonicalize | FileCheck %s
// CSE, which merged the two indices, finds nothing to merge.
// RUN: norm-opt %s --norm-nested-indices-to-loops --cse --canonicalize | FileCheck %s
// RUN: norm-opt %s --cse | FileCheck %s --check-prefix=UPSTREAM

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @sum
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<f32>) {
// CHECK: %[[U:.*]] = linalg.generic {{.*}} outs(%[[T]] : tensor<f32>)
// CHECK: ^bb0(%{{.*}}: f32, %[[ACC:.*]]: f32)
// CHECK-NOT: linalg.index
// CHECK: %[[IN:.*]] = tensor.extract %{{.*}}[%[[I]], %[[J]]]
// CHECK: arith.addf %[[IN]], %[[ACC]]
// CHECK: scf.yield %[[U]]
// CHECK: tensor.extract %[[SUM]][]
// What upstream does; when it stops, so may the pass.
// UPSTREAM-LABEL: func.func @sum
// UPSTREAM: %[[I:.*]] = linalg.index 0
// UPSTREAM: tensor.extract %{{.*}}[%[[I]], %[[I]]]
func.func @sum(%x: tensor<4x8xf32>, %init: tensor<f32>) -> tensor<4xf32> {
  %e4 = tensor.empty() : tensor<4xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e4 : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%e8 : tensor<8xf32>) outs(%init : tensor<f32>) {
    ^bb1(%unused: f32, %acc: f32):
      %j = linalg.index 0 : index
      %in = tensor.extract %x[%i, %j] : tensor<4x8xf32>
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The enclosing body reads no index, but fusion may give it one; extents and maps
// are those of the operands, and a scalar operand is itself.
// CHECK-LABEL: func.func @two_results
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[S:.*]]: f32
// CHECK: linalg.generic
// CHECK: %[[M:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: %[[BOTH:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %[[M]] {{.*}}iter_args(%{{.*}}, %{{.*}}) -> (tensor<?x?xf32>, tensor<?x?xi64>)
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[N]] {{.*}}iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[IN:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[J]]] [1, 1] [1, 1]
// CHECK: %[[NEXT:.*]]:2 = linalg.generic {{.*}} ins(%[[IN]], %[[S]] : tensor<1x1xf32>, f32)
// CHECK: arith.index_cast %[[J]]
// CHECK: tensor.insert_slice %[[NEXT]]#0 into %[[A]][%[[J]], %[[I]]]
// CHECK: tensor.insert_slice %[[NEXT]]#1 into %[[B]][%[[J]], %[[I]]]
func.func @two_results(%x: tensor<?x?xf32>, %s: f32, %f: tensor<?x?xf32>, %n: tensor<?x?xi64>, %place: index) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%e : tensor<f32>) {
  ^bb0(%out: f32):
    %both:2 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf32>, f32) outs(%f, %n : tensor<?x?xf32>, tensor<?x?xi64>) {
    ^bb1(%in: f32, %scale: f32, %o0: f32, %o1: i64):
      %j = linalg.index 1 : index
      %p = arith.mulf %in, %scale : f32
      %k = arith.index_cast %j : index to i64
      linalg.yield %p, %k : f32, i64
    } -> (tensor<?x?xf32>, tensor<?x?xi64>)
    %v = tensor.extract %both#0[%place, %place] : tensor<?x?xf32>
    %w = tensor.extract %both#1[%place, %place] : tensor<?x?xi64>
    %c = arith.sitofp %w : i64 to f32
    %r = arith.addf %v, %c : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// Buffers are viewed.
// CHECK-LABEL: func.func @buffers
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[T:.*]] = memref.subview %{{.*}}[%[[J]]] [1] [1]
// CHECK: linalg.generic {{.*}} outs(%[[T]] :
// CHECK-NOT: linalg.index
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @buffers(%x: memref<4x8xf32>, %t: memref<8xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : memref<8xf32>) {
    ^bb1(%acc: f32):
      %j = linalg.index 0 : index
      %in = memref.load %x[%i, %j] : memref<4x8xf32>
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    }
    %v = memref.load %t[%i] : memref<8xf32>
    linalg.yield %v : f32
  }
  return
}

// Without an index of its own, or without an op around it, an op stays.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: scf.for
func.func @others(%x: tensor<4xf32>, %init: tensor<f32>) -> (tensor<4xf32>, tensor<4xindex>) {
  %e = tensor.empty() : tensor<4xf32>
  %n = tensor.empty() : tensor<4xindex>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
    ^bb1(%unused: f32, %acc: f32):
      %in = tensor.extract %x[%i] : tensor<4xf32>
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%n : tensor<4xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<4xindex>
  return %y, %iota : tensor<4xf32>, tensor<4xindex>
}

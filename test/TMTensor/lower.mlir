// RUN: norm-opt %s --norm-lower-tm-tensor --canonicalize --cse --split-input-file | FileCheck %s

// Rows in parallel; each is one pass.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<5x?xf32>, %[[A:.*]]: tensor<5xf32>)
// CHECK-NOT: tm_tensor
// CHECK: scf.forall (%[[R:.*]]) in (5) shared_outs(%{{.*}} = %[[X]], %{{.*}} = %[[A]])
// CHECK-DAG: tensor.extract_slice %[[X]][%[[R]], 0] [1, %{{.*}}] [1, 1] : tensor<5x?xf32> to tensor<?xf32>
// CHECK: %[[FIRST:.*]] = arith.minui %{{.*}}, %c1
// CHECK: scf.for %{{.*}} = %c0 to %[[FIRST]]
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to
// CHECK: %[[P:.*]] = arith.subi %[[I]], %c1
// CHECK: %[[S:.*]] = tensor.extract %{{.*}}[%[[P]]]
// CHECK: %[[E:.*]] = tensor.extract %{{.*}}[%[[I]]]
// CHECK: %[[T:.*]] = arith.subf %[[S]], %[[E]]
// CHECK: tensor.insert %[[T]] into %{{.*}}[%[[I]]]
// CHECK: scf.forall.in_parallel
// CHECK-COUNT-2: tensor.parallel_insert_slice
func.func @rows(%x: tensor<5x?xf32>, %a: tensor<5xf32>) -> (tensor<5x?xf32>, tensor<5xf32>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<5x?xf32>) outs(%x, %a : tensor<5x?xf32>, tensor<5xf32>) {
  ^bb0(%s: f32, %e: f32):
    %t = arith.subf %s, %e : f32
    tm_tensor.yield %t : f32
  } -> tensor<5x?xf32>, tensor<5xf32>
  return %r#0, %r#1 : tensor<5x?xf32>, tensor<5xf32>
}

// -----

// 64 columns together, the last block is shorter. An exclusive scan adds the
// element before.
// CHECK-LABEL: func.func @columns(
// CHECK: scf.forall (%[[C:.*]]) = (0) to (100) step (64)
// CHECK: %[[W:.*]] = affine.min
// CHECK: tensor.extract_slice %{{.*}}[0, %[[C]]] [7, %[[W]]] [1, 1] : tensor<7x100xf32> to tensor<7x?xf32>
// CHECK: scf.for %[[I:.*]] = %c1 to %c7
// CHECK: %[[P:.*]] = arith.subi %[[I]], %c1
// CHECK: scf.for %[[J:.*]] = %c0 to %[[W]]
// CHECK: tensor.extract %{{.*}}[%[[P]], %[[J]]]
// CHECK: tensor.extract %{{.*}}[%[[P]], %[[J]]]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[I]], %[[J]]]
func.func @columns(%x: tensor<7x100xf32>, %y: tensor<7x100xf32>, %a: tensor<100xf32>) -> tensor<7x100xf32> {
  %r:2 = tm_tensor.scan dimension(0) inclusive(false) ins(%x : tensor<7x100xf32>) outs(%y, %a : tensor<7x100xf32>, tensor<100xf32>) {
  ^bb0(%s: f32, %e: f32):
    %t = arith.addf %s, %e : f32
    tm_tensor.yield %t : f32
  } -> tensor<7x100xf32>, tensor<100xf32>
  return %r#0 : tensor<7x100xf32>
}

// -----

// One loop in the order of updates, whatever is said to be unique.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[U:.*]]: tensor<5x1x8xf32>, %[[I:.*]]: tensor<5x1xi64>, %[[O:.*]]: tensor<10x8xf32>)
// CHECK-NOT: scf.forall
// CHECK: scf.for %[[N:.*]] = %c0 to %c5 step %c1 iter_args(%{{.*}} = %[[O]])
// CHECK: %[[E:.*]] = tensor.extract %[[I]][%[[N]], %c0]
// CHECK: %[[GIVEN:.*]] = arith.index_cast %[[E]] : i64 to index
// CHECK: %[[FROM_END:.*]] = arith.addi %[[GIVEN]], %c10
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %[[FROM_END]], %[[GIVEN]]
// CHECK-DAG: arith.cmpi sge, %[[AT]], %c0
// CHECK-DAG: arith.cmpi sle, %[[AT]], %c9
// CHECK: %[[OK:.*]] = arith.andi
// CHECK: cf.assert %[[OK]], "tm_tensor.scatter: index out of bounds"
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c8
// CHECK: %[[V:.*]] = tensor.extract %[[U]][%[[N]], %c0, %[[J]]]
// CHECK-NEXT: tensor.insert %[[V]] into %{{.*}}[%[[AT]], %[[J]]]
func.func @scatter(%u: tensor<5x1x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) -> tensor<10x8xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<5x1x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %e: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return %r : tensor<10x8xf32>
}

// -----

// 100 elements are 7 bits: 4 steps of two merges each. A column is copied first.
// CHECK-LABEL: func.func @sort(
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK: tensor.empty() : tensor<100xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c100
// CHECK: %{{.*}} = scf.for %[[L:.*]] = %c0 to %c4 step %c1
// CHECK: %[[D:.*]] = arith.addi %[[L]], %[[L]]
// CHECK: %[[W:.*]] = arith.shli %c1, %[[D]]
// CHECK: %[[W2:.*]] = arith.addi %[[W]], %[[W]]
// CHECK: scf.for %{{.*}} = %c0 to %c100 step %[[W2]]
// CHECK: arith.cmpf uno
// CHECK: %[[W4:.*]] = arith.addi %[[W2]], %[[W2]]
// CHECK: scf.for %{{.*}} = %c0 to %c100 step %[[W4]]
func.func @sort(%x: tensor<100x3xf32>) -> tensor<100x3xf32> {
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<100x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<100x3xf32>
  return %r : tensor<100x3xf32>
}

// -----

// The places of a fill with +infinity are empty for the smallest elements; what is
// in other destinations takes part: %i elements are there, or all 4.
// CHECK-LABEL: func.func @topk(
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: scf.for %[[I:.*]] = %c0 to %c100
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[I]], %c4
// CHECK: %[[ENTERS:.*]] = arith.ori %[[HAS]], %{{.*}}
// CHECK: %[[END:.*]] = arith.select %[[ENTERS]], %c4, %c0
// CHECK: scf.for %[[P:.*]] = %c0 to %[[END]]
// CHECK: arith.cmpi ult, %[[P]], %[[I]]
// CHECK-LABEL: func.func @held(
// CHECK: %[[END:.*]] = arith.select %{{.*}}, %c4, %c0
// CHECK: scf.for %[[P:.*]] = %c0 to %[[END]]
// CHECK: arith.cmpi ult, %[[P]], %c4
func.func @topk(%x: tensor<100xf32>, %v: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %inf = arith.constant 0x7F800000 : f32
  %f = linalg.fill ins(%inf : f32) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<100xf32>) outs(%f, %i : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}

func.func @held(%x: tensor<100xi32>, %v: tensor<4xi32>, %i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<100xi32>) outs(%v, %i : tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    tm_tensor.yield %c : i1
  } -> tensor<4xi32>, tensor<4xi32>
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// Sums of f16 are f32.
// CHECK-LABEL: func.func @attention(
// CHECK-DAG: arith.constant 0.353553385 : f32
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x3x8xf16>, tensor<2x5x8xf16>) outs(%{{.*}} : tensor<2x3x5xf32>)
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x3x5xf32>, tensor<2x5x6xf16>) outs(%{{.*}} : tensor<2x3x6xf32>)
// CHECK: arith.truncf
func.func @attention(%q: tensor<2x3x8xf16>, %k: tensor<2x5x8xf16>, %v: tensor<2x5x6xf16>, %o: tensor<2x3x6xf16>) -> tensor<2x3x6xf16> {
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<2x3x8xf16>, tensor<2x5x8xf16>, tensor<2x5x6xf16>) outs(%o : tensor<2x3x6xf16>) -> tensor<2x3x6xf16>
  return %r : tensor<2x3x6xf16>
}

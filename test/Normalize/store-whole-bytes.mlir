// Memory has a byte for each i1 and i4, and four for an i24; vectors have not.
// RUN: norm-opt %s --norm-store-whole-bytes | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// An operand is truncated, a result extended with zeros; the body is as it was.
// CHECK-LABEL: func.func @mask(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi8>) -> tensor<8xi8>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[M]] : tensor<8xf32>, tensor<8xi8>)
// CHECK: ^bb0(%[[E:.*]]: f32, %[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[T:.*]] = arith.trunci %[[B]] : i8 to i1
// CHECK-NEXT: %[[C:.*]] = arith.cmpf ogt, %[[E]]
// CHECK-NEXT: %[[A:.*]] = arith.andi %[[C]], %[[T]] : i1
// CHECK-NEXT: %[[R:.*]] = arith.extui %[[A]] : i1 to i8
// CHECK-NEXT: linalg.yield %[[R]] : i8
func.func @mask(%x: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<8xi1> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xi1>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %m : tensor<8xf32>, tensor<8xi1>) outs(%e : tensor<8xi1>) {
  ^bb0(%a: f32, %b: i1, %out: i1):
    %c = arith.cmpf ogt, %a, %zero : f32
    %d = arith.andi %c, %b : i1
    linalg.yield %d : i1
  } -> tensor<8xi1>
  return %y : tensor<8xi1>
}

// CHECK-LABEL: func.func @constants
// CHECK-DAG: dense<[1, 0, 1]> : tensor<3xi8>
// CHECK-DAG: dense<[1, 14, 8]> : tensor<3xi8>
// CHECK-DAG: dense<16777215> : tensor<3xi32>
// CHECK-DAG: dense<{{.*}}> : tensor<3xi128>
// CHECK-DAG: dense<[2, 10]> : tensor<2xi8>
// CHECK-DAG: dense<[8, 52]> : tensor<2xi8>
// CHECK-DAG: dense<{{.*}}> : tensor<0xi8>
// CHECK-DAG: dense<[1, 0, 1]> : tensor<3xi8>
// CHECK-DAG: dense<[1, 16777215]> : tensor<2xi32>
func.func @constants() -> (tensor<3xi1>, tensor<3xi4>, tensor<3xi24>,
    tensor<3xi65>, tensor<2xf4E2M1FN>, tensor<2xf6E2M3FN>, tensor<0xi3>,
    tensor<3xi1>, tensor<2xi24>) {
  %0 = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = arith.constant dense<[1, -2, -8]> : tensor<3xi4>
  %2 = arith.constant dense<-1> : tensor<3xi24>
  %3 = arith.constant dense<[1, 2, -1]> : tensor<3xi65>
  %4 = arith.constant dense<[1.0, -1.0]> : tensor<2xf4E2M1FN>
  %5 = arith.constant dense<[1.0, -3.0]> : tensor<2xf6E2M3FN>
  %6 = arith.constant dense<-1> : tensor<0xi3>
  %7 = arith.constant dense_resource<mask> : tensor<3xi1>
  %8 = arith.constant dense_resource<table> : tensor<2xi24>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3xi1>, tensor<3xi4>, tensor<3xi24>,
    tensor<3xi65>, tensor<2xf4E2M1FN>, tensor<2xf6E2M3FN>, tensor<0xi3>,
    tensor<3xi1>, tensor<2xi24>
}

// Whole elements, and those that no integer here holds, stay.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: tensor<2xi8>, %{{.*}}: tensor<2xi128>, %{{.*}}: tensor<2xf8E4M3FN>,
// CHECK-SAME: tensor<2xf80>, %{{.*}}: tensor<2xui4>,
// CHECK-SAME: tensor<2xindex>, %{{.*}}: tensor<2xcomplex<i4>>, %{{.*}}: vector<8xi1>, %{{.*}}: i1)
func.func @kept(%0: tensor<2xi8>, %1: tensor<2xi128>, %2: tensor<2xf8E4M3FN>,
    %4: tensor<2xf80>, %5: tensor<2xui4>,
    %6: tensor<2xindex>, %7: tensor<2xcomplex<i4>>, %8: vector<8xi1>, %9: i1) {
  return
}

// `any` of a row: what combines is in the type of memory, where a vectorizer
// finds one op; the scalar that fills is extended once.
// CHECK-LABEL: func.func @any
// CHECK: %[[FALSE:.*]] = arith.constant false
// CHECK: %[[FILL:.*]] = arith.extui %[[FALSE]] : i1 to i8
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[FILL]] : i8)
// CHECK: ^bb0(%[[IN:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: linalg.yield %[[IN]] : i8
// CHECK: ^bb0(%[[X:.*]]: f32, %[[ACC:.*]]: i8):
// CHECK-NEXT: %[[C:.*]] = arith.cmpf
// CHECK-NEXT: %[[V:.*]] = arith.extui %[[C]]
// CHECK-NEXT: %[[O:.*]] = arith.ori %[[ACC]], %[[V]] : i8
// CHECK-NEXT: linalg.yield %[[O]] : i8
func.func @any(%x: tensor<4x8xf32>) -> tensor<4xi1> {
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xi1>
  %f = linalg.fill ins(%false : i1) outs(%e : tensor<4xi1>) -> tensor<4xi1>
  %y = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xi1>) {
  ^bb0(%a: f32, %out: i1):
    %c = arith.cmpf olt, %a, %zero : f32
    %d = arith.ori %c, %out : i1
    linalg.yield %d : i1
  } -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// The other ops on i1 that are one of and, or, xor; of i4 a sum is none.
// CHECK-LABEL: func.func @combiners
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %[[A:.*]]: i8, %[[B:.*]]: i8, %[[C:.*]]: i8, %[[D:.*]]: i8):
// CHECK-DAG: arith.andi %[[A]], %{{.*}} : i8
// CHECK-DAG: arith.ori %[[B]], %{{.*}} : i8
// CHECK-DAG: arith.xori %[[C]], %{{.*}} : i8
// CHECK-DAG: %[[S:.*]] = arith.trunci %[[D]] : i8 to i4
// CHECK-DAG: arith.addi %{{.*}}, %[[S]] : i4
func.func @combiners(%x: tensor<4x8xi1>, %w: tensor<4x8xi4>, %i: tensor<4xi1>,
    %j: tensor<4xi4>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi4>) {
  %y:4 = linalg.generic {indexing_maps = [#all, #all, #row, #row, #row, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xi1>, tensor<4x8xi4>)
      outs(%i, %i, %i, %j : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi4>) {
  ^bb0(%a: i1, %v: i4, %p: i1, %q: i1, %r: i1, %s: i4):
    %t = arith.xori %a, %a : i1
    %0 = arith.muli %a, %p : i1
    %1 = arith.minsi %t, %q : i1
    %2 = arith.addi %t, %r : i1
    %u = arith.xori %v, %v : i4
    %3 = arith.addi %u, %s : i4
    linalg.yield %0, %1, %2, %3 : i1, i1, i1, i4
  } -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi4>)
  return %y#0, %y#1, %y#2, %y#3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi4>
}

// Ops that take one element and those that take none.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[T:.*]]: tensor<8xi8>, %[[M:.*]]: memref<8xi8>, %[[I:.*]]: index, %[[B:.*]]: i1)
// CHECK-DAG: %[[X:.*]] = tensor.extract %[[T]][%[[I]]] : tensor<8xi8>
// CHECK-DAG: arith.trunci %[[X]] : i8 to i1
// CHECK-DAG: %[[E:.*]] = arith.extui %[[B]] : i1 to i8
// CHECK: tensor.insert %{{.*}} into %[[T]][%[[I]]] : tensor<8xi8>
// CHECK: memref.load %[[M]][%[[I]]] : memref<8xi8>
// CHECK: memref.store %{{.*}}, %[[M]][%[[I]]] : memref<8xi8>
// CHECK: tensor.from_elements {{.*}} : tensor<2xi8>
// CHECK: tensor.splat {{.*}} : tensor<8xi8>
// CHECK: tensor.pad
// CHECK: %[[P:.*]] = arith.extui %[[B]] : i1 to i8
// CHECK: tensor.yield %[[P]] : i8
// CHECK: tensor.extract_slice {{.*}} : tensor<8xi8> to tensor<2xi8>
// CHECK: arith.select %[[B]], {{.*}} : tensor<8xi8>
// CHECK: vector.transfer_read %[[T]][%[[I]]], %{{.*}}, %{{.*}} : tensor<8xi8>, vector<4xi8>
// CHECK: arith.trunci {{.*}} : vector<4xi8> to vector<4xi1>
// CHECK: arith.extui {{.*}} : vector<4xi1> to vector<4xi8>
// CHECK: vector.transfer_write {{.*}} : vector<4xi8>, tensor<8xi8>
func.func @elements(%t: tensor<8xi1>, %m: memref<8xi1>, %i: index, %b: i1)
    -> (tensor<8xi1>, tensor<2xi1>, tensor<9xi1>, tensor<2xi1>) {
  %x = tensor.extract %t[%i] : tensor<8xi1>
  %y = tensor.insert %b into %t[%i] : tensor<8xi1>
  %l = memref.load %m[%i] : memref<8xi1>
  memref.store %l, %m[%i] : memref<8xi1>
  %f = tensor.from_elements %x, %l : tensor<2xi1>
  %s = tensor.splat %b : tensor<8xi1>
  %p = tensor.pad %s low[1] high[0] {
  ^bb0(%k: index):
    tensor.yield %b : i1
  } : tensor<8xi1> to tensor<9xi1>
  %c = tensor.extract_slice %y[2] [2] [1] : tensor<8xi1> to tensor<2xi1>
  %z = arith.select %b, %s, %y : tensor<8xi1>
  %four = vector.create_mask %i : vector<4xi1>
  %v = vector.transfer_read %t[%i], %b, %four : tensor<8xi1>, vector<4xi1>
  %w = vector.transfer_write %v, %z[%i], %four : vector<4xi1>, tensor<8xi1>
  return %w, %f, %p, %c : tensor<8xi1>, tensor<2xi1>, tensor<9xi1>, tensor<2xi1>
}

// Loops, branches, calls and globals.
// CHECK-LABEL: memref.global "private" constant @table : memref<2xi8> = dense<[15, 1]>
memref.global "private" constant @table : memref<2xi4> = dense<[-1, 1]>
// CHECK: func.func private @outside(tensor<?xi8>) -> i1
func.func private @outside(tensor<?xi1>) -> i1
// CHECK-LABEL: func.func @control(
// CHECK: memref.get_global @table : memref<2xi8>
// CHECK: call @outside(%{{.*}}) : (tensor<?xi8>) -> i1
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?xi8>, i1)
// CHECK: scf.if %{{.*}} -> (tensor<?xi8>)
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %{{.*}}) -> (tensor<?xi8>)
// CHECK: memref.load {{.*}} : memref<2xi8>
func.func @control(%t: tensor<?xi1>, %n: index) -> (tensor<?xi1>, i1, i4) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g = memref.get_global @table : memref<2xi4>
  %b = func.call @outside(%t) : (tensor<?xi1>) -> i1
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%u = %t, %c = %b) -> (tensor<?xi1>, i1) {
    %v = scf.if %c -> (tensor<?xi1>) {
      scf.yield %u : tensor<?xi1>
    } else {
      %w = tensor.insert %c into %u[%i] : tensor<?xi1>
      scf.yield %w : tensor<?xi1>
    }
    scf.yield %v, %c : tensor<?xi1>, i1
  }
  %s = scf.forall (%i) in (4) shared_outs(%o = %r#0) -> (tensor<?xi1>) {
    %p = tensor.extract_slice %t[%i] [1] [1] : tensor<?xi1> to tensor<1xi1>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xi1> into tensor<?xi1>
    }
  }
  %l = memref.load %g[%one] : memref<2xi4>
  return %s, %r#1, %l : tensor<?xi1>, i1, i4
}

// A named op, alone; norm-to-cpu has made them general before.
// CHECK-LABEL: func.func @named
// CHECK: linalg.generic
// CHECK: arith.trunci {{.*}} : i8 to i1
// CHECK: arith.select
func.func @named(%m: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = linalg.select ins(%m, %x, %y : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>)
      outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// Blobs are laid out as memory is.
{-#
  dialect_resources: {
    builtin: {
      mask: "0x04000000010001",
      table: "0x0400000001000000ffffff00"
    }
  }
#-}

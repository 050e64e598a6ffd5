// A remainder is not hoisted out of a loop that does not run, because its divisor
// may be 0 there.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --function=loop --input=0xi32=1 --input=index=5 | FileCheck %s --check-prefix=EMPTY
// RUN: norm-run %s --function=row --input=i32=5 --input=i32=0 --input=0xi32=0 | FileCheck %s --check-prefix=EMPTY
// RUN: norm-run %s --function=loop --input=3xi32=1 --input=index=5 | FileCheck %s --check-prefix=LOOP
// RUN: norm-run %s --function=row --input=i32=-5 --input=i32=3 '--input=3xi32=0 1 2' | FileCheck %s --check-prefix=ROW
// EMPTY: result[0]: 0xi32=
// LOOP: result[0]: 3xi32=2 2 2
// ROW: result[0]: 3xi32=-2 -1 0

// CHECK-LABEL: func @loop
// CHECK: %[[Q:.*]] = arith.divui %[[K:.*]], %[[N:.*]] : index
// CHECK: %[[M:.*]] = arith.muli %[[Q]], %[[N]] : index
// CHECK: arith.subi %[[K]], %[[M]] : index
func.func @loop(%a: tensor<?xi32>, %k: index) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<?xi32> {
    %j = arith.remui %k, %n : index
    %v = arith.index_cast %j : index to i32
    %y = tensor.insert %v into %x[%i] : tensor<?xi32>
    scf.yield %y : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}

// CHECK-LABEL: func @row
// CHECK: arith.divsi
func.func @row(%k: i32, %n: i32, %a: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xi32>
  %e = tensor.empty(%d) : tensor<?xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%x: i32, %o: i32):
    %j = arith.remsi %k, %n : i32
    %s = arith.addi %j, %x : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// Nothing is divided by 0 here.
// CHECK-LABEL: func @constant
// CHECK: arith.remui
func.func @constant(%k: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %r = arith.remui %k, %c7 : i32
  return %r : i32
}

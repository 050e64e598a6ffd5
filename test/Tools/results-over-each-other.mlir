// Arguments that change places by branches, loops and calls, and are both
// written over.
// RUN: norm-run %s --function=by_if --input=4xf32=1 --input=4xf32=2 --input=index=1 | FileCheck %s --check-prefix=SWAPPED
// RUN: norm-run %s --function=by_if --input=4xf32=1 --input=4xf32=2 --input=index=2 | FileCheck %s --check-prefix=KEPT
// RUN: norm-run %s --function=by_select --input=4xf32=1 --input=4xf32=2 --input=index=1 | FileCheck %s --check-prefix=SWAPPED
// RUN: norm-run %s --function=by_for --input=4xf32=1 --input=4xf32=2 --input=index=1 | FileCheck %s --check-prefix=SWAPPED
// RUN: norm-run %s --function=by_for --input=4xf32=1 --input=4xf32=2 --input=index=2 | FileCheck %s --check-prefix=KEPT
// RUN: norm-run %s --function=by_while --input=4xf32=1 --input=4xf32=2 --input=index=3 | FileCheck %s --check-prefix=SWAPPED
// RUN: norm-run %s --function=by_while --input=4xf32=1 --input=4xf32=2 --input=index=0 | FileCheck %s --check-prefix=KEPT
// RUN: norm-run %s --function=by_call --input=4xf32=1 --input=4xf32=2 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: result[0]: 4xf32=2 2 2 2
// SWAPPED-NEXT: result[1]: 4xf32=1 1 1 1
// KEPT: result[0]: 4xf32=1 1 1 1
// KEPT-NEXT: result[1]: 4xf32=2 2 2 2

func.func @by_if(%a: tensor<4xf32> {norm.result = 0 : i64}, %b: tensor<4xf32> {norm.result = 1 : i64}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %is = arith.cmpi eq, %n, %c1 : index
  %r:2 = scf.if %is -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @by_select(%a: tensor<4xf32> {norm.result = 0 : i64}, %b: tensor<4xf32> {norm.result = 1 : i64}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %is = arith.cmpi eq, %n, %c1 : index
  %r = arith.select %is, %b, %a : tensor<4xf32>
  %s = arith.select %is, %a, %b : tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

func.func @by_for(%a: tensor<4xf32> {norm.result = 0 : i64}, %b: tensor<4xf32> {norm.result = 1 : i64}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @by_while(%a: tensor<4xf32> {norm.result = 0 : i64}, %b: tensor<4xf32> {norm.result = 1 : i64}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %x = %a, %y = %b) : (index, tensor<4xf32>, tensor<4xf32>) -> (index, tensor<4xf32>, tensor<4xf32>) {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i, %x, %y : index, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %x: tensor<4xf32>, %y: tensor<4xf32>):
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %y, %x : index, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}

func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {no_inline} {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

func.func @by_call(%a: tensor<4xf32> {norm.result = 0 : i64}, %b: tensor<4xf32> {norm.result = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = call @swap(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A branch chooses between the argument and another one, which is only read.
// RUN: norm-run %s --function=chosen --input=4xf32=1 --input=4xf32=2 --input=index=1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: result[0]: 4xf32=1 1 1 1
// CHOSEN-NEXT: result[1]: 4xf32=2 2 2 2
func.func @chosen(%a: tensor<4xf32> {norm.result = 0 : i64}, %b: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %is = arith.cmpi eq, %n, %c1 : index
  %r = scf.if %is -> tensor<4xf32> {
    scf.yield %b : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %r, %a : tensor<4xf32>, tensor<4xf32>
}

// The other result of the branch is the argument.
// RUN: norm-run %s --function=beside --input=4xf32=3 --input=index=1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: result[0]: 4xf32=3 3 3 3
// BESIDE-NEXT: result[1]: 4xf32=6 6 6 6
func.func @beside(%a: tensor<4xf32> {norm.result = 0 : i64}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %is = arith.cmpi eq, %n, %c1 : index
  %y = arith.addf %a, %a : tensor<4xf32>
  %r:2 = scf.if %is -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %a, %y : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %y, %y : tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<4xf32>
}

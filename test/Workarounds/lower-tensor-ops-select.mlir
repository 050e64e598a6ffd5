// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --function=open --input=1xi32=5 --input=3xi32=7,8,9 --input=i1=0 --expected-output=3xi32=7,8,9
// RUN: norm-run %s --function=open --input=1xi32=5 --input=3xi32=7,8,9 --input=i1=1 --expected-output=1xi32=5
// RUN: norm-run %s --function=branch --input=1xi32=5 --input=3xi32=7,8,9 --input=i1=0 --expected-output=3xi32=14,16,18

// Tensors that one value chooses between may differ in size.
// CHECK-LABEL: func @open
// CHECK: scf.if %{{.*}} -> (tensor<?xi32>) {
// CHECK-NEXT: scf.yield %arg0
// CHECK: scf.yield %arg1
func.func @open(%a: tensor<?xi32>, %b: tensor<?xi32>, %c: i1) -> tensor<?xi32> {
  %s = arith.select %c, %a, %b : tensor<?xi32>
  return %s : tensor<?xi32>
}

// What canonicalization makes such a select of.
func.func @branch(%a: tensor<?xi32>, %b: tensor<?xi32>, %c: i1) -> tensor<?xi32> {
  %s = scf.if %c -> tensor<?xi32> {
    scf.yield %a : tensor<?xi32>
  } else {
    scf.yield %b : tensor<?xi32>
  }
  %r = arith.addi %s, %s : tensor<?xi32>
  return %r : tensor<?xi32>
}

// CHECK-LABEL: func @known
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK-LABEL: func @each
// CHECK: linalg.generic
// CHECK: arith.select
func.func @known(%a: tensor<3xi32>, %b: tensor<3xi32>, %c: i1) -> tensor<3xi32> {
  %s = arith.select %c, %a, %b : tensor<3xi32>
  return %s : tensor<3xi32>
}
func.func @each(%a: tensor<?xi32>, %b: tensor<?xi32>, %c: tensor<?xi1>) -> tensor<?xi32> {
  %s = arith.select %c, %a, %b : tensor<?xi1>, tensor<?xi32>
  return %s : tensor<?xi32>
}

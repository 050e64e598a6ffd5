// Ops of open extents become linalg as they are; folded, they would be
// constants, which have no such extents.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --input=3xi32=1,2,3 --input=2x2xi64=1 | FileCheck %s --check-prefix=VALUES
// RUN: norm-opt %s --convert-elementwise-to-linalg | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: arith.constant dense<0> : tensor<?xi32>

// CHECK: linalg.generic {{.*}} ins(%arg0, %arg0 : tensor<?xi32>, tensor<?xi32>)
// CHECK: arith.xori %in, %in
// CHECK: linalg.generic {{.*}} ins(%arg1, %arg1 : tensor<2x?xi64>, tensor<2x?xi64>)
// CHECK: arith.cmpi slt, %in, %in
// CHECK-NOT: dense
// VALUES: result[0]: 3xi32=0 0 0
// VALUES-NEXT: result[1]: 2x2xi1=[0 0][0 0]
func.func @main(%a: tensor<?xi32>, %b: tensor<2x?xi64>) -> (tensor<?xi32>, tensor<2x?xi1>) {
  %r = arith.xori %a, %a : tensor<?xi32>
  %c = arith.cmpi slt, %b, %b : tensor<2x?xi64>
  return %r, %c : tensor<?xi32>, tensor<2x?xi1>
}

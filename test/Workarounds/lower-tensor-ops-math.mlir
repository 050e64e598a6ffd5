// Ops of math that no pass of upstream lowers.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s --implicit-check-not=math.is --implicit-check-not=ipowi --implicit-check-not=clampf
// RUN: norm-run %s --input='8xf32=inf -inf nan 0 -0 1e-40 -2 1.17549435e-38' --input='8xf16=inf -inf nan 0 -0 6e-5 -2 6.1035156e-05' --function=classes | FileCheck %s --check-prefix=CLASSES
// RUN: norm-run %s --input='8xi32=0 1 2 -3 -3 7 1 -1' --input='8xi32=0 5 31 3 4 13 -5 -5' --function=powers | FileCheck %s --check-prefix=POWERS
// RUN: norm-run %s --input='8xi32=2 2 -2 -1 -1 3 0 46341' --input='8xi32=-1 30 -2 -6 -7 20 3 2' --function=powers | FileCheck %s --check-prefix=MORE
// RUN: norm-run %s --input='6xf32=-2 0.5 9 nan inf -inf' --function=bounded | FileCheck %s --check-prefix=BOUNDED

// CHECK-LABEL: func @classes
// CLASSES: result[0]: 8xi1=1 1 0 0 0 0 0 0
// CLASSES: result[1]: 8xi1=0 0 0 0 0 0 1 1
// CLASSES: result[2]: 8xi1=0 0 0 0 0 0 1 1
func.func @classes(%x: tensor<8xf32>, %h: tensor<8xf16>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %inf = math.isinf %x : tensor<8xf32>
  %normal = math.isnormal %x : tensor<8xf32>
  %half = math.isnormal %h : tensor<8xf16>
  return %inf, %normal, %half : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// Products wrap around.
// CHECK-LABEL: func @powers
// POWERS: result[0]: 8xi32=1 1 -2147483648 -27 81 -1895237401 1 -1
// POWERS: result[1]: 8xi32=0 1 32 -243 -243 16807 1 -1
// MORE: result[0]: 8xi32=0 1073741824 0 1 -1 -808182895 0 -2147479015
func.func @powers(%x: tensor<8xi32>, %n: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %five = arith.constant dense<5> : tensor<8xi32>
  %r = math.ipowi %x, %n : tensor<8xi32>
  %s = math.ipowi %x, %five : tensor<8xi32>
  return %r, %s : tensor<8xi32>, tensor<8xi32>
}

// CHECK-LABEL: func @bounded
// BOUNDED: result[0]: 6xf32=-1 0.5 2 nan 2 -1
func.func @bounded(%x: tensor<6xf32>) -> tensor<6xf32> {
  %low = arith.constant dense<-1.0> : tensor<6xf32>
  %high = arith.constant dense<2.0> : tensor<6xf32>
  %r = math.clampf %x to [%low, %high] : tensor<6xf32>
  return %r : tensor<6xf32>
}

// A switch between tensors becomes branches, which bufferization follows to an argument that must not be written.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s --check-prefix=BUFFERS
// RUN: norm-run %s --input=2x3xf32=1,2,3,4,5,6 --input=index=7 --input=index=2 | FileCheck %s --check-prefix=VALUES
// RUN: norm-run %s --input=2x3xf32=0 --input=index=0 --input=index=2 | FileCheck %s --check-prefix=FIRST
// RUN: norm-run %s --input=2x3xf32=0 --input=index=5 --input=index=2 | FileCheck %s --check-prefix=SECOND

// CHECK: %[[IS0:.*]] = arith.cmpi eq, %arg1, %c0
// CHECK: scf.if %[[IS0]] -> (tensor<2x3xf32>) {
// CHECK: } else {
// CHECK:   arith.cmpi eq, %arg1, %c5
// CHECK:   scf.if %{{.*}} -> (tensor<2x3xf32>) {
// CHECK:   } else {
// CHECK:     scf.yield %arg0
// CHECK-NOT: index_switch
// What the loop writes is a copy.
// BUFFERS: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<2x3xf32>
// BUFFERS-NOT: index_switch
// BUFFERS: memref.subview %[[COPY]][1, 0]
// VALUES: result[0]: 1x3xf32=[16 20 24]
// FIRST: result[0]: 1x3xf32=[4 4 4]
// SECOND: result[0]: 1x3xf32=[8 8 8]
func.func @main(%a: tensor<2x3xf32>, %i: index, %n: index) -> tensor<1x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = scf.index_switch %i -> tensor<2x3xf32>
  case 0 {
    %ones = arith.constant dense<1.0> : tensor<2x3xf32>
    scf.yield %ones : tensor<2x3xf32>
  }
  case 5 {
    %twos = arith.constant dense<2.0> : tensor<2x3xf32>
    scf.yield %twos : tensor<2x3xf32>
  }
  default {
    scf.yield %a : tensor<2x3xf32>
  }
  %s = tensor.extract_slice %b[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<1x3xf32>
  %w = scf.for %k = %c0 to %n step %c1 iter_args(%t = %s) -> tensor<1x3xf32> {
    %e = tensor.empty() : tensor<1x3xf32>
    %v = linalg.add ins(%t, %t : tensor<1x3xf32>, tensor<1x3xf32>) outs(%e : tensor<1x3xf32>) -> tensor<1x3xf32>
    scf.yield %v : tensor<1x3xf32>
  }
  return %w : tensor<1x3xf32>
}

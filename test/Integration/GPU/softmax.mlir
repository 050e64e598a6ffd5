// Softmax shares no line with RMSNorm, and comes out the same way: one kernel, a
// row in registers (or in strips, when its length is not known). Its exponential
// is libdevice's.
// REQUIRES: libdevice
// RUN: mkdir -p %t
// RUN: sed s/SHAPE/?x?/g %s > %t/dynamic.mlir
// RUN: sed s/SHAPE/3x1000/g %s > %t/static.mlir
// RUN: %python %S/Inputs/run_general.py %t %t/static.mlir 3 1000 softmax | FileCheck %s --check-prefix=STATIC
// STATIC: main_kernel0: grid 3 block 128x1 loads 2 stores 2 shuffles 14
// STATIC-NEXT: softmax 3x1000: ok
// RUN: %python %S/Inputs/run_general.py %t %t/dynamic.mlir 2 3000 softmax | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: main_kernel0: grid 2
// DYNAMIC-NEXT: softmax 2x3000: ok
func.func @main(%x: tensor<SHAPExf32>) -> tensor<SHAPExf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<SHAPExf32>) outs(%x : tensor<SHAPExf32>) -> tensor<SHAPExf32>
  return %y : tensor<SHAPExf32>
}

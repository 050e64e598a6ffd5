// RUN: norm-opt %s --norm-finish-buffers --split-input-file --verify-diagnostics | FileCheck %s

// Strided on either side: loops, for memrefCopy is in no runtime.
// CHECK-LABEL: func @strided
// CHECK: linalg.copy ins(%arg0 : memref<4x4xf32, strided<[8, 1]>>) outs(%arg1 : memref<4x4xf32>)
// CHECK: linalg.copy ins(%arg1 : memref<4x4xf32>) outs(%arg0 : memref<4x4xf32, strided<[8, 1]>>)
// CHECK-NOT: memref.copy
func.func @strided(%a: memref<4x4xf32, strided<[8, 1]>>, %b: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  memref.copy %b, %a : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1]>>
  return
}

// Contiguous copies become memcpy later.
// CHECK-LABEL: func @kept
// CHECK: memref.copy %arg0, %arg1
// CHECK-NOT: linalg.copy
func.func @kept(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}

// -----

func.func @unranked(%x: memref<*xf32>, %y: memref<*xf32>) {
  // expected-error@+1 {{norm-finish-buffers: cannot copy 'memref<*xf32>'}}
  memref.copy %x, %y : memref<*xf32> to memref<*xf32>
  return
}

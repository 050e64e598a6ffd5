// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,canonicalize,cse))' --split-input-file | FileCheck %s
// RUN: sed 's/8192/8256/g' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=LONG

#row = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// The strips go down, because the sum has left the end of the row in the cache; the sum
// goes up.
// CHECK-LABEL: func @scale
// CHECK: scf.for %[[K:.*]] = %{{.*}} step %c64 iter_args
// CHECK-NEXT: vector.transfer_read %arg0[%[[K]]]
// CHECK: scf.for %[[K:.*]] = %c0 to %c16384 step %c64 {
// CHECK-NEXT: %[[COLUMN:.*]] = arith.subi %c16320, %[[K]] : index
// CHECK-NEXT: vector.transfer_read %arg0[%[[COLUMN]]]
// CHECK-NOT: %[[K]]
// CHECK: vector.transfer_write %{{.*}}, %arg1[%[[COLUMN]]]
// CHECK-NEXT: } {norm.loop = #norm.loop<strips>}
func.func @scale(%x: memref<16384xf32>, %y: memref<16384xf32>, %s: memref<f32>) {
  linalg.reduce { arith.addf } ins(%x : memref<16384xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]} ins(%x, %s : memref<16384xf32>, memref<f32>) outs(%y : memref<16384xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// Of three loops over a row the second goes down, also in place. A row of 128 strips,
// 32 KiB, fits the cache and is not worth it; one of 129 is.
// CHECK-LABEL: func @zigzag
// CHECK-NOT: arith.subi
// LONG-LABEL: func @zigzag
// LONG: scf.for
// LONG-NEXT: vector.transfer_read
// LONG: scf.for %[[K:.*]] = %c0 to %c8256 step %c64
// LONG-NEXT: %[[COLUMN:.*]] = arith.subi %c8192, %[[K]] : index
// LONG-NEXT: vector.transfer_read %{{.*}}[%[[COLUMN]]]
// LONG-NOT: %[[K]]
// LONG: vector.transfer_write %{{.*}}[%[[COLUMN]]]
// LONG: scf.for
// LONG-NEXT: vector.transfer_read
// LONG-NOT: arith.subi
// LONG: return
func.func @zigzag(%x: memref<8192xf32>) {
  linalg.exp ins(%x : memref<8192xf32>) outs(%x : memref<8192xf32>)
  linalg.exp ins(%x : memref<8192xf32>) outs(%x : memref<8192xf32>)
  linalg.exp ins(%x : memref<8192xf32>) outs(%x : memref<8192xf32>)
  return
}

// -----

// The op before goes over another buffer, or over rows of its own, which are many, or the
// row's end is not known.
// CHECK-LABEL: func @unrelated
// CHECK-NOT: arith.subi
// CHECK-LABEL: func @many_rows
// CHECK-NOT: arith.subi
// CHECK-LABEL: func @unknown
// CHECK-NOT: arith.subi
// CHECK: return
func.func @unrelated(%x: memref<16384xf32>, %y: memref<16384xf32>, %z: memref<16384xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<16384xf32>)
  linalg.exp ins(%x : memref<16384xf32>) outs(%y : memref<16384xf32>)
  return
}
func.func @many_rows(%x: memref<8x16384xf32>) {
  linalg.exp ins(%x : memref<8x16384xf32>) outs(%x : memref<8x16384xf32>)
  linalg.exp ins(%x : memref<8x16384xf32>) outs(%x : memref<8x16384xf32>)
  return
}
func.func @unknown(%x: memref<?xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// -----

// A strip that writes what the next one reads must come before it: a view of the same
// buffer starts elsewhere. A sum keeps its order.
// CHECK-LABEL: func @dependent
// CHECK-NOT: arith.subi
// CHECK-LABEL: func @sums
// CHECK-NOT: arith.subi
// CHECK: return
func.func @dependent(%x: memref<16448xf32>, %z: memref<16384xf32>) {
  %low = memref.subview %x[0] [16384] [1] : memref<16448xf32> to memref<16384xf32, strided<[1]>>
  %high = memref.subview %x[64] [16384] [1] : memref<16448xf32> to memref<16384xf32, strided<[1], offset: 64>>
  linalg.exp ins(%low : memref<16384xf32, strided<[1]>>) outs(%z : memref<16384xf32>)
  linalg.exp ins(%low : memref<16384xf32, strided<[1]>>) outs(%high : memref<16384xf32, strided<[1], offset: 64>>)
  return
}
func.func @sums(%x: memref<16384xf32>, %s: memref<f32>, %t: memref<f32>) {
  linalg.reduce { arith.addf } ins(%x : memref<16384xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%x : memref<16384xf32>) outs(%t : memref<f32>) dimensions = [0]
  return
}

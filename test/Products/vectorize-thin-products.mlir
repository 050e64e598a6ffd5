// RUN: norm-opt %s --norm-vectorize-products --canonicalize --split-input-file | FileCheck %s

// The next 8 rows of B are fetched, a line after the other, while 8 are read: each line of
// them once. The last rows have none behind them.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @large
// CHECK: scf.for %[[K:.*]] = %c0 to %c1024 step %c8
// CHECK:   scf.for %[[J:.*]] = %c0 to %c512 step %c64
// CHECK:   %[[NEXT:.*]] = arith.addi %[[K]], %c8
// CHECK:   memref.prefetch %arg1[%[[NEXT]], %[[J]]], read, locality<2>
// CHECK:   %[[LINE:.*]] = arith.addi %[[J]], %c16
// CHECK:   memref.prefetch %arg1[%[[NEXT]], %[[LINE]]]
// CHECK-COUNT-2: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK:   vector.load %arg1[%[[K]], %[[J]]]
// CHECK-COUNT-28: memref.prefetch
// CHECK: vector.load %arg1[%c1024,
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @large(%a: memref<1x1025xf32>, %b: memref<1025x512xf32>, %c: memref<1x512xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x1025xf32>, memref<1025x512xf32>) outs(%c : memref<1x512xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// The next 8 columns, which are rows in memory; an unknown B may be large.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @unknown
// CHECK: scf.for %[[J:.*]] = %c0 to %{{.*}} step %c8
// CHECK:   scf.for %[[K:.*]] = %c0 to %{{.*}} step %c16
// CHECK:   vector.load %arg1[%[[J]], %[[K]]]
// CHECK-COUNT-16: vector.fma
// CHECK:   %[[NEXT:.*]] = arith.addi %[[J]], %c8
// CHECK:   memref.prefetch %arg1[%[[NEXT]], %[[K]]], read, locality<2>
// CHECK-COUNT-7: memref.prefetch
// CHECK-NOT: memref.prefetch
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @unknown(%a: memref<2x?xf32>, %b: memref<?x?xf32>, %c: memref<2x?xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x?xf32>, memref<?x?xf32>) outs(%c : memref<2x?xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// One wide load and sum per line: the core reads ahead itself.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @one_row
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @one_row(%a: memref<1x4096xf32>, %b: memref<4096x4096xf32>, %c: memref<1x4096xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x4096xf32>, memref<4096x4096xf32>) outs(%c : memref<1x4096xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Narrow loads do not: of 8 columns, which are a part of a large B, the next are fetched.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @narrow_part
// CHECK: vector.load {{.*}} vector<8xbf16>
// CHECK-COUNT-8: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {norm.row_target = {product_rows = 6, product_lanes = 16}} {
func.func @narrow_part(%a: memref<1x4096xbf16>, %b: memref<4096x4096xbf16>, %c: memref<1x16xf32>) {
  %part = memref.subview %b[32, 0] [16, 4096] [1, 1] : memref<4096x4096xbf16> to memref<16x4096xbf16, strided<[4096, 1], offset: 131072>>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %part : memref<1x4096xbf16>, memref<16x4096xbf16, strided<[4096, 1], offset: 131072>>) outs(%c : memref<1x16xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %m = arith.mulf %u, %v : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// 12 registers have the sums of 4 of 8 rows and 3 columns, of which the next are fetched once.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @eight_rows
// CHECK: scf.for %[[J:.*]] = %c0 to %{{.*}} step %c3
// CHECK:   scf.for
// CHECK-COUNT-3: vector.load %arg1
// CHECK:   vector.load %arg0[%c0,
// CHECK-COUNT-3: vector.fma
// CHECK:   vector.load %arg0[%c1,
// CHECK-COUNT-9: vector.fma
// CHECK-COUNT-3: memref.prefetch %arg1
// CHECK:   scf.for
// CHECK-COUNT-3: vector.load %arg1
// CHECK:   vector.load %arg0[%c4,
// CHECK-COUNT-12: vector.fma
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {norm.row_target = {product_rows = 6, product_lanes = 16}} {
func.func @eight_rows(%a: memref<8x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<8x1024xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<8x1024xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Level 2 keeps B.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @small
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @small(%a: memref<1x64xf32>, %b: memref<64x512xf32>, %c: memref<1x512xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x64xf32>, memref<64x512xf32>) outs(%c : memref<1x512xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Extents that one operand alone has: canonicalization folds casts of the others.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @known_rows
// CHECK: scf.for %{{.*}} = %c0 to %c64 step
// CHECK-NOT: linalg
// CHECK: return
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @known_rows(%a: memref<?x512xf32>, %b: memref<512x?xf32>, %c: memref<7x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x512xf32>, memref<512x?xf32>) outs(%c : memref<7x64xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

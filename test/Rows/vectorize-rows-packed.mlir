// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,canonicalize,cse))' --split-input-file | FileCheck %s

// Short rows that fill strips are reduced several at a time: upper halves of each onto
// lower ones, as the halves of one row.
#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @maxima
// CHECK: %[[X:.*]] = memref.collapse_shape %arg0 {{\[\[}}0], [1, 2]]
// CHECK: scf.for %[[C:.*]] = %c0 to %c4096 step %c64 {
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%{{.*}}, %[[C]]]{{.*}} vector<64xf32>
// CHECK-DAG: %[[LOW:.*]] = vector.shuffle %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, {{.*}}, 55]
// CHECK-DAG: %[[HIGH:.*]] = vector.shuffle %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, {{.*}}, 63]
// CHECK: arith.maximumf %[[LOW]], %[[HIGH]] : vector<32xf32>
// CHECK: %[[TOP:.*]] = arith.maximumf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: %[[R:.*]] = arith.divui %[[C]], %c16
// CHECK: vector.transfer_write %{{.*}}, %arg1[%{{.*}}, %[[R]]]{{.*}} : vector<4xf32>
// CHECK: norm.loop = #norm.loop<statistic>
func.func @maxima(%x: memref<1x256x16xf32>, %y: memref<1x256xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x256xf32>)
  linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<1x256x16xf32>) outs(%y : memref<1x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %o : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// A value of a row of 8 is repeated in a vector of two rows.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @scales
// CHECK: scf.for %[[C:.*]] = %c0 to %c64 step %c16 {
// CHECK: %[[R:.*]] = arith.divui %[[C]], %c8
// CHECK: %[[S:.*]] = vector.transfer_read %arg1[%[[R]]]{{.*}} vector<2xf32>
// CHECK: vector.shuffle %[[S]], %[[S]] [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
func.func @scales(%x: memref<8x8xf32>, %s: memref<8xf32>, %y: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x8xf32>, memref<8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// Every other element of short rows is that of one row, too.
#rows = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @pairs
// CHECK: %[[P:.*]] = memref.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK: vector.transfer_read %[[P]][%{{.*}}]{{.*}} vector<128xf32>
// CHECK: vector.deinterleave
func.func @pairs(%x: memref<16x16xf32>, %y: memref<16x8xf32>) {
  %even = memref.subview %x[0, 0] [16, 8] [1, 2] : memref<16x16xf32> to memref<16x8xf32, strided<[16, 2]>>
  %odd = memref.subview %x[0, 1] [16, 8] [1, 2] : memref<16x16xf32> to memref<16x8xf32, strided<[16, 2], offset: 1>>
  linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%even, %odd : memref<16x8xf32, strided<[16, 2]>>, memref<16x8xf32, strided<[16, 2], offset: 1>>) outs(%y : memref<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// Not packed: a value of a row that fills a vector is broadcast to it; rows apart from
// each other; rows that fill no strip.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @broadcast
// CHECK-NOT: memref.collapse_shape
func.func @broadcast(%x: memref<8x16xf32>, %s: memref<8xf32>, %y: memref<8x16xf32>) {
  linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x16xf32>, memref<8xf32>) outs(%y : memref<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

// CHECK-LABEL: func @apart
// CHECK-NOT: memref.collapse_shape
func.func @apart(%x: memref<8x16xf32, strided<[32, 1]>>, %y: memref<8x16xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x16xf32, strided<[32, 1]>>) outs(%y : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  }
  return
}

// CHECK-LABEL: func @few
// CHECK-NOT: memref.collapse_shape
func.func @few(%x: memref<3x16xf32>, %y: memref<3x16xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x16xf32>) outs(%y : memref<3x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// A quotient that a program has need not divide strips: others lower it.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#third = affine_map<(d0, d1) -> (d0, d1 floordiv 3)>
// CHECK-LABEL: func @quotients
// CHECK: linalg.generic
func.func @quotients(%x: memref<4x96xf32>, %s: memref<4x32xf32>, %y: memref<4x96xf32>) {
  linalg.generic {indexing_maps = [#rows, #third, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<4x96xf32>, memref<4x32xf32>) outs(%y : memref<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// The same of heads that share a row: its quotient is not of the column.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#shared = affine_map<(d0, d1) -> (d0 floordiv 4, d1)>
// CHECK-LABEL: func @heads
// CHECK: linalg.generic
func.func @heads(%x: memref<8x64xf32>, %s: memref<2x64xf32>, %y: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [#rows, #shared, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x64xf32>, memref<2x64xf32>) outs(%y : memref<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

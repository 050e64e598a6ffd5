// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-products,canonicalize,cse))' --split-input-file | FileCheck %s

// Two tiles of rows by two of columns, to which the products of the whole sum are added; the last 16 of 48 rows have
// one tile by four.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @bf16
// CHECK: %[[B:.*]] = memref.collapse_shape %arg1 {{\[\[}}0], [1, 2]] : memref<160x64x2xbf16> into memref<160x128xbf16>
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c32
// CHECK:   amx.tile_load %arg2[%c0, %[[J]]], %c64 : memref<48x64xf32> into !amx.tile<16x16xf32>
// CHECK:   %[[NEXT:.*]] = arith.addi %[[J]], %c16
// CHECK:   amx.tile_load %arg2[%c0, %[[NEXT]]], %c64
// CHECK:   amx.tile_load %arg2[%c16, %[[J]]], %c64
// CHECK:   %[[SUM:.*]] = amx.tile_load %arg2[%c16, %[[NEXT]]], %c64
// CHECK:   amx.tile_load %arg0[%c0, %c0, %c0], %c320 : memref<48x160x2xbf16> into !amx.tile<16x32xbf16>
// CHECK:   %[[X:.*]] = amx.tile_load %arg0[%c16, %c0, %c0], %c320
// CHECK:   %[[FIRST:.*]] = arith.muli %[[J]], %c2
// CHECK:   amx.tile_load %[[B]][%c0, %[[FIRST]]], %c128 : memref<160x128xbf16> into !amx.tile<16x32xbf16>
// CHECK:   %[[SECOND:.*]] = arith.muli %[[NEXT]], %c2
// CHECK:   %[[Y:.*]] = amx.tile_load %[[B]][%c0, %[[SECOND]]], %c128
// CHECK-COUNT-3: amx.tile_mulf
// CHECK:   amx.tile_mulf %[[X]], %[[Y]], %[[SUM]] : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
// CHECK-COUNT-36: amx.tile_mulf
// CHECK-COUNT-4: amx.tile_store
// CHECK: amx.tile_load %arg0[%c32, %c0, %c0], %c320
// CHECK-COUNT-40: amx.tile_mulf
// CHECK-COUNT-4: amx.tile_store
// CHECK-NOT: amx.tile_{{load|mulf}}
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @bf16(%a: memref<48x160x2xbf16>, %b: memref<160x64x2xbf16>, %c: memref<48x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<48x160x2xbf16>, memref<160x64x2xbf16>) outs(%c : memref<48x64xf32>) attrs = {norm.amx, norm.product} {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Signs are those of what widens the elements; strides may be unknown.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @i8
// CHECK: memref.extract_strided_metadata %arg0
// CHECK: amx.tile_muli %{{.*}} zext, %{{.*}}, %{{.*}} : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @i8(%a: memref<16x16x4xi8, strided<[?, 4, 1], offset: ?>>, %b: memref<16x64x4xi8>, %c: memref<16x64xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x16x4xi8, strided<[?, 4, 1], offset: ?>>, memref<16x64x4xi8>) outs(%c : memref<16x64xi32>) attrs = {norm.amx, norm.product} {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  }
  return
}
}

// -----

// An unknown number of rows, which tiles fill.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @unknown_rows
// CHECK: %[[ROWS:.*]] = memref.dim %arg0, %c0
// CHECK: %[[REST:.*]] = arith.remui %[[ROWS]], %c32
// CHECK: %[[WHOLE:.*]] = arith.subi %[[ROWS]], %[[REST]]
// CHECK: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c32
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[ROWS]] step %c16
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @unknown_rows(%a: memref<?x16x2xbf16>, %b: memref<16x64x2xbf16>, %c: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<?x16x2xbf16>, memref<16x64x2xbf16>) outs(%c : memref<?x64xf32>) attrs = {norm.amx, norm.product} {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Few rows: their words are turned once, and the sums of 16 columns, whose rows B has in memory, at the end.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few_rows
// CHECK: %[[WORDS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x64xi8>
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64
// CHECK-COUNT-3: vector.load %arg0[%{{.*}}] : memref<3x128xi8>, vector<64xi8>
// CHECK-COUNT-16: vector.store %{{.*}}, %[[WORDS]]
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16
// CHECK:   amx.tile_load %arg1[%[[J]], %c0], %c128 : memref<40x128xi8> into !amx.tile<16x64xi8>
// CHECK:   amx.tile_load %[[WORDS]][%c0, %c0], %c64
// CHECK:   amx.tile_muli %{{.*}}, %{{.*}} zext, %{{.*}} : !amx.tile<16x64xi8>
// CHECK:   amx.tile_load %arg1[%[[J]], %c64], %c128
// CHECK:   amx.tile_load %[[WORDS]][%c16, %c0], %c64
// CHECK-COUNT-3: vector.store %{{.*}}, %arg2[%{{.*}}] : memref<3x40xi32>, vector<16xi32>
// CHECK: scf.for %{{.*}} = %c32 to %c40 step %c1
// CHECK-NOT: amx.tile_mul
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @few_rows(%a: memref<3x128xi8>, %b: memref<40x128xi8>, %c: memref<3x40xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<3x128xi8>, memref<40x128xi8>) outs(%c : memref<3x40xi32>) attrs = {norm.thin_product = 2 : i64} {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  }
  return
}
}

// -----

// More rows: tiles of 16, and one of what is left. Each tile of B is loaded once for the sums of all.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @more_rows
// CHECK: %[[WORDS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1920x32xbf16>
// CHECK: scf.for %[[I:.*]] = %c0 to %c32 step %c16
// CHECK:   scf.for %[[K:.*]] = %c0 to %c1280 step %c32
// CHECK-COUNT-16: vector.load %arg0
// CHECK: scf.for %[[K:.*]] = %c0 to %c1280 step %c32
// CHECK-COUNT-8: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c16
// CHECK:   %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<48x16xf32>
// CHECK:   scf.for
// CHECK-COUNT-3: amx.tile_load %[[SUMS]]
// CHECK:     %[[Y:.*]] = amx.tile_load %arg1[%[[J]], %{{.*}}], %c1280 : memref<64x1280xbf16>
// CHECK:     %[[X:.*]] = amx.tile_load %[[WORDS]]
// CHECK:     amx.tile_mulf %[[Y]], %[[X]], %{{.*}}
// CHECK:     %[[X1:.*]] = amx.tile_load %[[WORDS]]
// CHECK:     amx.tile_mulf %[[Y]], %[[X1]], %{{.*}}
// CHECK:     %[[X2:.*]] = amx.tile_load %[[WORDS]]
// CHECK:     amx.tile_mulf %[[Y]], %[[X2]], %{{.*}}
// CHECK:     amx.tile_load %arg1
// CHECK-COUNT-3: amx.tile_store %[[SUMS]]
// CHECK:   scf.for %[[I:.*]] = %c0 to %c32 step %c16
// CHECK-COUNT-16: vector.store %{{.*}}, %arg2
// CHECK:   }
// CHECK-COUNT-8: vector.store %{{.*}}, %arg2
// CHECK-NOT: vector.store
// CHECK: return
module attributes {norm.row_target = {product_lanes = 64, tile_steps = 2}} {
func.func @more_rows(%a: memref<40x1280xbf16>, %b: memref<64x1280xbf16>, %c: memref<40x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<40x1280xbf16>, memref<64x1280xbf16>) outs(%c : memref<40x64xf32>) attrs = {norm.thin_product = 2 : i64} {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Each step of a tile fetches its share of the 32 rows of two lines that the next iteration packs, four rows.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @fetches
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c64
// CHECK:   %[[NEXT_J:.*]] = arith.select %{{.*}}, %c0, %{{.*}}
// CHECK:   %[[NEXT:.*]] = memref.subview %arg1[0, 0, %[[NEXT_J]]] [16, 2, 64] [1, 1, 1]
// CHECK:   amx.tile_load %arg2
// CHECK-COUNT-8: memref.prefetch %[[NEXT]][%{{.*}}, %{{.*}}, %{{.*}}], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-4: amx.tile_mulf
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @fetches(%a: memref<128x16x2xbf16>, %b: memref<16x2x256xbf16>, %c: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c256 step %c64 {
    %columns = memref.subview %b[0, 0, %j] [16, 2, 64] [1, 1, 1] : memref<16x2x256xbf16> to memref<16x2x64xbf16, strided<[512, 256, 1], offset: ?>>
    %packed = memref.alloc() : memref<1x16x64x2xbf16>
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
                    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%columns : memref<16x2x64xbf16, strided<[512, 256, 1], offset: ?>>) outs(%packed : memref<1x16x64x2xbf16>) attrs = {norm.pack} {
    ^bb0(%x: bf16, %y: bf16):
      linalg.yield %x : bf16
    }
    %block = memref.collapse_shape %packed [[0, 1], [2], [3]] : memref<1x16x64x2xbf16> into memref<16x64x2xbf16>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %block : memref<128x16x2xbf16>, memref<16x64x2xbf16>) outs(%c : memref<128x64xf32>) attrs = {norm.amx, norm.product} {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %p = arith.extf %x : bf16 to f32
      %q = arith.extf %y : bf16 to f32
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
  } {norm.loop = #norm.loop<product>}
  return
}
}

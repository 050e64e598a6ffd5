// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-products,canonicalize))' --split-input-file | FileCheck %s

// Tiles of 6 rows keep 6 vectors of sums while 512 products are added; 2 of 8 rows are left.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @tiles
// CHECK: scf.for %[[FROM:.*]] = %c0 to %c700 step %c512
// CHECK:   %[[TO:.*]] = arith.minsi
// CHECK:   %[[SUMS:.*]]:6 = scf.for %[[K:.*]] = %[[FROM]] to %[[TO]] step %c1
// CHECK:     %[[Y:.*]] = vector.load %arg1[%[[K]], %c0] : memref<700x64xf32>, vector<64xf32>
// CHECK:     %[[X:.*]] = memref.load %arg0[%c0, %[[K]]]
// CHECK:     %[[V:.*]] = vector.broadcast %[[X]]
// CHECK:     vector.fma %[[V]], %[[Y]], %{{.*}} : vector<64xf32>
// CHECK-COUNT-6: vector.store
// CHECK:   scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<64xf32>, vector<64xf32>)
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @tiles(%a: memref<8x700xf32>, %b: memref<700x64xf32>, %c: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x700xf32>, memref<700x64xf32>) outs(%c : memref<8x64xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Pairs of bf16 are words for all lanes, and one instruction adds both products.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @pairs
// CHECK: %[[B:.*]] = memref.collapse_shape %arg1 {{\[\[}}0], [1, 2]]
// CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c1
// CHECK: vector.load %[[B]][%[[K]], %c0] : memref<16x32xbf16>, vector<32xbf16>
// CHECK: vector.load %arg0[%c0, %[[K]], %c0] : memref<4x16x2xbf16>, vector<2xbf16>
// CHECK-COUNT-4: x86vector.avx512.dot %{{.*}} : vector<32xbf16> -> vector<16xf32>
module attributes {norm.row_target = {product_depth = 512}} {
func.func @pairs(%a: memref<4x16x2xbf16>, %b: memref<16x16x2xbf16>, %c: memref<4x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<4x16x2xbf16>, memref<16x16x2xbf16>) outs(%c : memref<4x16xf32>) attrs = {norm.product} {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %v = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %m = arith.mulf %v, %w : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Few rows: 8 rows of B at once, then those that are left.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few_rows
// CHECK: scf.for %{{.*}} = %c0 to %c96 step %c8
// CHECK:   scf.for %{{.*}} = %c0 to %c256 step %c64
// CHECK-COUNT-8: vector.load %arg1[%{{.*}}] : memref<100x256xf32>, vector<64xf32>
// CHECK: scf.for %{{.*}} = %c96 to %c100 step %c1
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @few_rows(%a: memref<2x100xf32>, %b: memref<100x256xf32>, %c: memref<2x256xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x100xf32>, memref<100x256xf32>) outs(%c : memref<2x256xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Columns that are rows in memory: several at once, along them.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @turned
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c8
// CHECK:   scf.for %{{.*}} = %c0 to %c112 step %c16
// CHECK-COUNT-8: vector.load %arg1[%{{.*}}] : memref<256x120xf32>, vector<16xf32>
// CHECK-COUNT-8: vector.reduction <add>
// CHECK:   scf.for %{{.*}} = %c112 to %c120 step %c1
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @turned(%a: memref<2x120xf32>, %b: memref<256x120xf32>, %c: memref<2x256xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x120xf32>, memref<256x120xf32>) outs(%c : memref<2x256xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Columns that are rows in memory are turned by squares of registers.
#in = affine_map<(d0, d1) -> (d1, d0)>
#out = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @pack
// CHECK-COUNT-16: vector.load %arg0[%{{.*}}] : memref<64x40xf32>, vector<16xf32>
// CHECK: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}}, %arg1[%{{.*}}] : memref<40x64xf32>, vector<16xf32>
func.func @pack(%b: memref<64x40xf32>, %packed: memref<40x64xf32>) {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<64x40xf32>) outs(%packed : memref<40x64xf32>) attrs = {norm.pack} {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// Columns of which one of several neighbors is read are copied one by one.
// CHECK-LABEL: func @pack_apart
// CHECK-NOT: vector
// CHECK: scf.for %[[K:.*]] = %c0 to %c40 step %c1
// CHECK:   scf.for %[[J:.*]] = %c0 to %c64 step %c1
// CHECK:     %[[X:.*]] = memref.load %arg0[%[[K]], %[[J]], %c0]
// CHECK:     memref.store %[[X]], %arg1[%[[K]], %[[J]]]
func.func @pack_apart(%b: memref<40x64x1xf32, strided<[256, 4, 1]>>, %c: memref<40x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<40x64x1xf32, strided<[256, 4, 1]>>) outs(%c : memref<40x64xf32>) attrs = {norm.pack} {
  ^bb0(%x: f32, %s: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// So are pairs that lie apart, whose columns are no neighbors.
// CHECK-LABEL: func @pairs_apart
// CHECK-NOT: vector
// CHECK: memref.load %arg0[%{{.*}}, %c0, %{{.*}}, %{{.*}}]
// CHECK: memref.load %arg0[%{{.*}}, %c1, %{{.*}}, %{{.*}}]
func.func @pairs_apart(%b: memref<8x2x64x16xbf16>, %c: memref<16x8x64x2xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d3, d2, d0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : memref<8x2x64x16xbf16>) outs(%c : memref<16x8x64x2xbf16>) attrs = {norm.pack} {
  ^bb0(%x: bf16, %s: bf16):
    linalg.yield %x : bf16
  }
  return
}

// -----

// Halves of words: two rows of bytes are interleaved. LLVM makes one instruction of the products and their sum.
#a = affine_map<(d0, d1) -> (d1)>
#b = affine_map<(d0, d1) -> (d1, d0)>
#c = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @bytes
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c8
// CHECK:   scf.for %{{.*}} = %c0 to %c32 step %c16
// CHECK:     %[[ROW0:.*]] = arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK:     %[[ROW1:.*]] = arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK:     %[[Y:.*]] = vector.interleave %[[ROW0]], %[[ROW1]]
// CHECK:     vector.load %arg0[%{{.*}}] : memref<17xi16>, vector<2xi16>
// CHECK:     %[[V:.*]] = arith.extsi %[[Y]] : vector<32xi16> to vector<32xi32>
// CHECK:     %[[M:.*]] = arith.muli %{{.*}}, %[[V]]
// CHECK:     %[[EVEN:.*]], %[[ODD:.*]] = vector.deinterleave %[[M]]
// CHECK:     arith.addi %[[EVEN]], %[[ODD]]
// CHECK: memref.load %arg0[%c16]
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @bytes(%a: memref<17xi16>, %b: memref<17x32xi8>, %c: memref<32xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : memref<17xi16>, memref<17x32xi8>) outs(%c : memref<32xi32>) attrs = {norm.thin_product = 1 : i64} {
  ^bb0(%x: i16, %y: i8, %s: i32):
    %u = arith.extsi %x : i16 to i32
    %v = arith.extui %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  }
  return
}
}

// -----

// Vectors are as long as a power of two: 48 lanes are three of 16.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @lanes
// CHECK: %{{.*}}:12 = scf.for
// CHECK-COUNT-3: vector.load %arg1[%{{.*}}] : memref<64x48xf32>, vector<16xf32>
// CHECK-COUNT-12: vector.fma %{{.*}} : vector<16xf32>
module attributes {norm.row_target = {product_lanes = 64, product_rows = 4, product_depth = 512}} {
func.func @lanes(%a: memref<4x64xf32>, %b: memref<64x48xf32>, %c: memref<4x48xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x64xf32>, memref<64x48xf32>) outs(%c : memref<4x48xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Rows of B that the next iteration packs, or the first one of the next block, are fetched meanwhile: one for
// as many products as there are tiles.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#rows = affine_map<()[s0] -> (s0 * 128)>
// CHECK-LABEL: func @fetches
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c64
// CHECK:   scf.for %[[K:.*]] = %c0 to %c3 step %c1
// CHECK:     %[[BEHIND:.*]] = arith.addi %[[K]], %c1
// CHECK:     %[[LAST:.*]] = arith.cmpi uge, %[[BEHIND]], %c3
// CHECK:     %[[NEXT_K:.*]] = arith.select %[[LAST]], %c0, %[[BEHIND]]
// CHECK:     %[[NEXT_BLOCK:.*]] = arith.select %{{.*}}, %c0, %{{.*}}
// CHECK:     %[[NEXT_J:.*]] = arith.select %[[LAST]], %[[NEXT_BLOCK]], %[[J]]
// CHECK:     %[[COLUMNS:.*]] = memref.subview %arg1[0, %[[NEXT_J]]] [384, 64] [1, 1]
// CHECK:     %[[FIRST:.*]] = affine.apply #{{.*}}()[%[[NEXT_K]]]
// CHECK:     %[[NEXT:.*]] = memref.subview %[[COLUMNS]][%[[FIRST]], 0] [128, 64] [1, 1]
// CHECK:     scf.for %{{.*}} = %c0 to %c30 step %c6
// CHECK:       scf.for %[[P:.*]] = %c0 to %c128 step %c6 iter_args
// CHECK-COUNT-4: memref.prefetch %[[NEXT]][%{{.*}}, %{{.*}}], read, locality<2>, data
// CHECK-NOT:     memref.prefetch
// CHECK:         %[[END:.*]] = arith.minui %{{.*}}, %c128
// CHECK:         scf.for %{{.*}} = %[[P]] to %[[END]] step %c1 iter_args
// CHECK:           vector.fma
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @fetches(%a: memref<32x384xf32>, %b: memref<384x256xf32>, %c: memref<32x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c256 step %c64 {
    %columns = memref.subview %b[0, %j] [384, 64] [1, 1] : memref<384x256xf32> to memref<384x64xf32, strided<[256, 1], offset: ?>>
    %sums = memref.subview %c[0, %j] [32, 64] [1, 1] : memref<32x256xf32> to memref<32x64xf32, strided<[256, 1], offset: ?>>
    scf.for %k = %c0 to %c3 step %c1 {
      %first = affine.apply #rows()[%k]
      %part = memref.subview %columns[%first, 0] [128, 64] [1, 1] : memref<384x64xf32, strided<[256, 1], offset: ?>> to memref<128x64xf32, strided<[256, 1], offset: ?>>
      %packed = memref.alloc() : memref<1x128x64xf32>
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                      iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%part : memref<128x64xf32, strided<[256, 1], offset: ?>>) outs(%packed : memref<1x128x64xf32>) attrs = {norm.pack} {
      ^bb0(%x: f32, %y: f32):
        linalg.yield %x : f32
      }
      %block = memref.collapse_shape %packed [[0, 1], [2]] : memref<1x128x64xf32> into memref<128x64xf32>
      %lhs = memref.subview %a[0, %first] [32, 128] [1, 1] : memref<32x384xf32> to memref<32x128xf32, strided<[384, 1], offset: ?>>
      linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%lhs, %block : memref<32x128xf32, strided<[384, 1], offset: ?>>, memref<128x64xf32>)
          outs(%sums : memref<32x64xf32, strided<[256, 1], offset: ?>>) attrs = {norm.product} {
      ^bb0(%x: f32, %y: f32, %s: f32):
        %m = arith.mulf %x, %y : f32
        %t = arith.addf %s, %m : f32
        linalg.yield %t : f32
      }
    } {norm.loop = #norm.loop<product>}
  } {norm.loop = #norm.loop<product>}
  return
}
}

// -----

// What packs a part of the columns alone says nothing of the next ones.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @packs_a_part
// CHECK: vector.store
// CHECK-NOT: locality<2>
// CHECK: vector.fma
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @packs_a_part(%a: memref<32x128xf32>, %b: memref<8x256xf32>, %c: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c256 step %c64 {
    %part = memref.subview %b[0, %j] [8, 64] [1, 1] : memref<8x256xf32> to memref<8x64xf32, strided<[256, 1], offset: ?>>
    %block = memref.alloc() : memref<128x64xf32>
    %first = memref.subview %block[0, 0] [8, 64] [1, 1] : memref<128x64xf32> to memref<8x64xf32, strided<[64, 1]>>
    %rows = memref.expand_shape %first [[0, 1], [2]] output_shape [1, 8, 64] : memref<8x64xf32, strided<[64, 1]>> into memref<1x8x64xf32, strided<[512, 64, 1]>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                    iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%part : memref<8x64xf32, strided<[256, 1], offset: ?>>) outs(%rows : memref<1x8x64xf32, strided<[512, 64, 1]>>) attrs = {norm.pack} {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %block : memref<32x128xf32>, memref<128x64xf32>) outs(%c : memref<32x64xf32>) attrs = {norm.product} {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %m = arith.mulf %x, %y : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
  } {norm.loop = #norm.loop<product>}
  return
}
}

// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,fold-memref-alias-ops,canonicalize,cse))' | FileCheck %s

#even = strided<[64, 2]>
#odd = strided<[64, 2], offset: 1>
#row = strided<[64, 2], offset: ?>
#d = affine_map<(d0, d1) -> (d0, d1)>

// Both reads are of the same pairs, and both writes are one.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?x64xf32>, %[[I:.*]]: index)
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16
// CHECK: %[[C:.*]] = arith.muli %[[J]], %c2
// CHECK: %[[P:.*]] = vector.transfer_read %[[X]][%[[I]], %[[C]]], %{{.*}} {in_bounds = [true]} : memref<?x64xf32>, vector<32xf32>
// CHECK: %[[A:.*]], %[[B:.*]] = vector.deinterleave %[[P]]
// CHECK-NOT: transfer_read
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: %[[T:.*]] = arith.subf %[[A]], %[[B]]
// CHECK: %[[Q:.*]] = vector.interleave %[[T]], %[[S]]
// CHECK: vector.transfer_write %[[Q]], %[[Y]][%[[I]], %[[C]]] {in_bounds = [true]} : vector<32xf32>, memref<?x64xf32>
// CHECK-NOT: transfer_write
// CHECK: return
func.func @pairs(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  %x0 = memref.subview %x[0, 0] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #even>
  %x1 = memref.subview %x[0, 1] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #odd>
  %y0 = memref.subview %y[0, 0] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #even>
  %y1 = memref.subview %y[0, 1] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #odd>
  %a0 = memref.subview %x0[%i, 0] [1, 32] [1, 1] : memref<?x32xf32, #even> to memref<1x32xf32, #row>
  %a1 = memref.subview %x1[%i, 0] [1, 32] [1, 1] : memref<?x32xf32, #odd> to memref<1x32xf32, #row>
  %b0 = memref.subview %y0[%i, 0] [1, 32] [1, 1] : memref<?x32xf32, #even> to memref<1x32xf32, #row>
  %b1 = memref.subview %y1[%i, 0] [1, 32] [1, 1] : memref<?x32xf32, #odd> to memref<1x32xf32, #row>
  linalg.generic {indexing_maps = [#d, #d, #d, #d], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %a1 : memref<1x32xf32, #row>, memref<1x32xf32, #row>) outs(%b1, %b0 : memref<1x32xf32, #row>, memref<1x32xf32, #row>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %e: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.subf %a, %b : f32
    linalg.yield %s, %t : f32, f32
  }
  return
}

// -----

// The mask of the end of a row, and a row whose dimension was dropped.
// CHECK-LABEL: func.func @masked
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %c0], %{{.*}} : memref<4x134xf32>, vector<128xf32>
// CHECK: %[[M:.*]] = vector.constant_mask [6] : vector<32xi1>
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %c128], %{{.*}}, %[[M]] {in_bounds = [true]} : memref<4x134xf32>, vector<32xf32>
// CHECK: %{{.*}}, %[[ODD:.*]] = vector.deinterleave
// CHECK: vector.extract_strided_slice %[[ODD]]
func.func @masked(%x: memref<4x134xf32>, %y: memref<67xf32>, %i: index) {
  %x1 = memref.subview %x[%i, 1] [1, 67] [1, 2] : memref<4x134xf32> to memref<67xf32, strided<[2], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x1 : memref<67xf32, strided<[2], offset: ?>>) outs(%y : memref<67xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// The last even element has no neighbor; a stride of three; halves of other
// pairs; a result without its other half.
// CHECK-LABEL: func.func @not_pairs
// CHECK-NOT: vector.deinterleave
// CHECK-NOT: vector.interleave
// CHECK: return
func.func @not_pairs(%x: memref<31xf32>, %y: memref<48xf32>, %z: memref<32xf32>, %o: memref<64xf32>) {
  %x0 = memref.subview %x[0] [16] [2] : memref<31xf32> to memref<16xf32, strided<[2]>>
  %y0 = memref.subview %y[0] [16] [3] : memref<48xf32> to memref<16xf32, strided<[3]>>
  %z0 = memref.subview %z[0] [16] [2] : memref<32xf32> to memref<16xf32, strided<[2]>>
  %o0 = memref.subview %o[0] [16] [2] : memref<64xf32> to memref<16xf32, strided<[2]>>
  %o1 = memref.subview %o[3] [16] [2] : memref<64xf32> to memref<16xf32, strided<[2], offset: 3>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x0, %y0 : memref<16xf32, strided<[2]>>, memref<16xf32, strided<[3]>>)
      outs(%z0, %o0, %o1 : memref<16xf32, strided<[2]>>, memref<16xf32, strided<[2]>>, memref<16xf32, strided<[2], offset: 3>>) {
  ^bb0(%a: f32, %b: f32, %e: f32, %f: f32, %g: f32):
    linalg.yield %a, %b, %a : f32, f32, f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> (0)>

// The same with both halves, down to the bytes: these are taken apart.
// CHECK-LABEL: func.func @pack
// CHECK: %[[S:.*]] = memref.load
// CHECK: %[[X:.*]] = vector.transfer_read %{{.*}} : memref<32xbf16>, vector<32xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[X]] : vector<32xbf16> to vector<32xf32>
// CHECK: %[[B:.*]] = vector.broadcast %[[S]] : f32 to vector<32xf32>
// CHECK: %[[D:.*]] = arith.mulf %[[W]], %[[B]] : vector<32xf32>
// CHECK: %[[Q:.*]] = arith.fptosi %[[D]] : vector<32xf32> to vector<32xi8>
// CHECK: %[[E:.*]], %[[O:.*]] = vector.deinterleave %[[Q]] : vector<32xi8> -> vector<16xi8>
// CHECK: %[[H:.*]] = arith.shli %[[O]]
// CHECK: arith.ori %[[E]], %[[H]]
func.func @pack(%x: memref<32xbf16>, %s: memref<1xf32>, %y: memref<16xi8>) {
  %c4 = arith.constant 4 : i8
  %x0 = memref.subview %x[0] [16] [2] : memref<32xbf16> to memref<16xbf16, strided<[2]>>
  %x1 = memref.subview %x[1] [16] [2] : memref<32xbf16> to memref<16xbf16, strided<[2], offset: 1>>
  linalg.generic {indexing_maps = [#id, #id, #one, #id], iterator_types = ["parallel"]}
      ins(%x0, %x1, %s : memref<16xbf16, strided<[2]>>, memref<16xbf16, strided<[2], offset: 1>>, memref<1xf32>) outs(%y : memref<16xi8>) {
  ^bb0(%e: bf16, %o: bf16, %f: f32, %old: i8):
    %v = arith.extf %o : bf16 to f32
    %q = arith.mulf %v, %f : f32
    %r = arith.fptosi %q : f32 to i8
    %u = arith.extf %e : bf16 to f32
    %p = arith.mulf %u, %f : f32
    %t = arith.fptosi %p : f32 to i8
    %h = arith.shli %r, %c4 : i8
    %n = arith.ori %t, %h : i8
    linalg.yield %n : i8
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Nothing becomes narrower.
// CHECK-LABEL: func.func @same_width
// CHECK: vector.deinterleave %{{.*}} : vector<32xf32>
func.func @same_width(%x: memref<32xf32>, %y: memref<16xf32>) {
  %x0 = memref.subview %x[0] [16] [2] : memref<32xf32> to memref<16xf32, strided<[2]>>
  %x1 = memref.subview %x[1] [16] [2] : memref<32xf32> to memref<16xf32, strided<[2], offset: 1>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x0, %x1 : memref<16xf32, strided<[2]>>, memref<16xf32, strided<[2], offset: 1>>) outs(%y : memref<16xf32>) {
  ^bb0(%e: f32, %o: f32, %old: f32):
    %p = math.absf %e : f32
    %q = math.absf %o : f32
    %m = arith.maximumf %p, %q : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Nor is an index.
// CHECK-LABEL: func.func @indices
// CHECK: vector.deinterleave %{{.*}} : vector<32xi32>
// CHECK: arith.maxui {{.*}} : vector<16xindex>
func.func @indices(%x: memref<32xi32>, %y: memref<16xi32>) {
  %x0 = memref.subview %x[0] [16] [2] : memref<32xi32> to memref<16xi32, strided<[2]>>
  %x1 = memref.subview %x[1] [16] [2] : memref<32xi32> to memref<16xi32, strided<[2], offset: 1>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x0, %x1 : memref<16xi32, strided<[2]>>, memref<16xi32, strided<[2], offset: 1>>) outs(%y : memref<16xi32>) {
  ^bb0(%e: i32, %o: i32, %old: i32):
    %p = arith.index_cast %e : i32 to index
    %q = arith.index_cast %o : i32 to index
    %m = arith.maxui %p, %q : index
    %r = arith.index_cast %m : index to i32
    linalg.yield %r : i32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// The halves are not treated alike: each has its own factors.
// CHECK-LABEL: func.func @other_factor
// CHECK: vector.deinterleave %{{.*}} : vector<32xf32>
func.func @other_factor(%x: memref<32xf32>, %s: memref<16xf32>, %y: memref<16xi8>) {
  %x0 = memref.subview %x[0] [16] [2] : memref<32xf32> to memref<16xf32, strided<[2]>>
  %x1 = memref.subview %x[1] [16] [2] : memref<32xf32> to memref<16xf32, strided<[2], offset: 1>>
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x0, %x1, %s : memref<16xf32, strided<[2]>>, memref<16xf32, strided<[2], offset: 1>>, memref<16xf32>) outs(%y : memref<16xi8>) {
  ^bb0(%e: f32, %o: f32, %f: f32, %old: i8):
    %p = arith.mulf %e, %f : f32
    %q = arith.mulf %o, %f : f32
    %t = arith.fptosi %p : f32 to i8
    %r = arith.fptosi %q : f32 to i8
    %n = arith.subi %t, %r : i8
    linalg.yield %n : i8
  }
  return
}

// -----

// The lines of all pairs are fetched, at every eighth of the elements of four bytes that are seen.
// CHECK-LABEL: func @fetched
// CHECK: %[[NEXT:.*]] = memref.subview %arg1
// CHECK: memref.prefetch %[[NEXT]][%c0]
// CHECK: memref.prefetch %[[NEXT]][%c8]
// CHECK-COUNT-5: memref.prefetch
// CHECK: memref.prefetch %[[NEXT]][%c56]
// CHECK-NOT: memref.prefetch
// CHECK: return
!half = memref<64xf32, strided<[2]>>
#id = affine_map<(d0) -> (d0)>
func.func @fetched(%x: memref<128xf32>, %next: memref<128xf32>, %y: memref<64xf32>) {
  %now = memref.subview %x[0] [64] [2] : memref<128xf32> to !half
  %later = memref.subview %next[0] [64] [2] : memref<128xf32> to !half
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%now, %later : !half, !half) outs(%y : memref<64xf32>)
      attrs = {norm.streams = #norm.row_streams<results = [], fetched = 1>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products,canonicalize,cse))' --split-input-file | FileCheck %s

// Sums in the type of the elements: blocks of 64 columns, and nothing behind them.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @plain
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c64
// CHECK:   %[[B:.*]] = tensor.extract_slice %arg1[0, %[[J]]] [128, 64] [1, 1]
// CHECK:   %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<128x64xf32>) outs(%{{.*}} : tensor<1x128x64xf32>) attrs = {norm.pack}
// CHECK:   %[[PACKED:.*]] = tensor.extract_slice %[[COPY]][0, 0, 0]
// CHECK:   linalg.generic {{.*}} ins(%arg0, %[[PACKED]] : tensor<32x128xf32>, tensor<128x64xf32>) {{.*}} {norm.product}
// CHECK: } {norm.loop = #norm.loop<product>}
func.func @plain(%a: tensor<32x128xf32>, %b: tensor<128x256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x256xf32>) outs(%f : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x256xf32>
  return %r : tensor<32x256xf32>
}

// -----

// A matrix that the caches keep is read in place.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @small
// CHECK: %[[B:.*]] = tensor.extract_slice %arg1[0, %{{.*}}] [128, 64] [1, 1]
// CHECK-NOT: norm.pack
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[B]] : tensor<32x128xf32>, tensor<128x64xf32>) {{.*}} {norm.product
func.func @small(%a: tensor<32x128xf32>, %b: tensor<128x128xf32>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x128xf32>) outs(%c : tensor<32x128xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x128xf32>
  return %r : tensor<32x128xf32>
}

// -----

// Sums of bf16 are f32 and rounded once; A is widened once, columns of B as they are packed; what is
// added to is no zero, so it is read; and the last block has 8 columns.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @narrow
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<32x128xbf16>) outs(%{{.*}} : tensor<32x128xf32>)
// CHECK: scf.for
// CHECK:   %[[N:.*]] = affine.min
// CHECK:   linalg.generic {{.*}} {norm.pack}
// CHECK:     arith.extf
// CHECK:   linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<32x128xf32>, tensor<128x32xf32>) {{.*}} {norm.product
// CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<32x?xf32>) outs(%{{.*}} : tensor<32x?xbf16>)
// CHECK:     %[[OLD:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:     %[[SUM:.*]] = arith.addf %[[OLD]]
// CHECK:     arith.truncf %[[SUM]] : f32 to bf16
func.func @narrow(%a: tensor<32x128xbf16>, %b: tensor<200x128xbf16>, %c: tensor<32x200xbf16>) -> tensor<32x200xbf16> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xbf16>, tensor<200x128xbf16>) outs(%c : tensor<32x200xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<32x200xbf16>
  return %r : tensor<32x200xbf16>
}

// -----

// One gate reads two products: one loop has the blocks of both.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @gate
// CHECK-COUNT-1: scf.for
// CHECK-COUNT-2: {norm.product
// CHECK: math.exp
// CHECK-NOT: scf.for
// CHECK: return
func.func @gate(%a: tensor<32x128xf32>, %b: tensor<128x256xf32>, %c: tensor<128x256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x256xf32>) outs(%f : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x256xf32>
  %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %c : tensor<32x128xf32>, tensor<128x256xf32>) outs(%f : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x256xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<32x256xf32>, tensor<32x256xf32>) outs(%e : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %g = math.exp %x : f32
    %m = arith.mulf %g, %y : f32
    linalg.yield %m : f32
  } -> tensor<32x256xf32>
  return %r : tensor<32x256xf32>
}

// -----

// Batches and columns of another dimension have one block each; sums over two dimensions are one.
#a = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @two_depths
// CHECK: scf.for
// CHECK:   outs(%{{.*}} : tensor<32x64xf32>) attrs = {norm.product
func.func @two_depths(%a: tensor<4x32x16xf32>, %b: tensor<4x16x256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x32x16xf32>, tensor<4x16x256xf32>) outs(%f : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x256xf32>
  return %r : tensor<32x256xf32>
}

// -----

// Scaled integers are computed block by block, where the block needs them.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @scaled_integers
// CHECK-NOT: sitofp
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c64
// CHECK:   %[[W:.*]] = tensor.extract_slice %arg1[0, %[[J]]] [128, 64] [1, 1]
// CHECK:   %[[D:.*]] = linalg.generic {{.*}} ins(%[[W]], %{{.*}} : tensor<128x64xi8>, tensor<64xf32>)
// CHECK:     arith.sitofp
// CHECK:   linalg.generic {{.*}} ins(%arg0, %[[D]] : tensor<32x128xf32>, tensor<128x64xf32>) {{.*}} {norm.product
func.func @scaled_integers(%a: tensor<32x128xf32>, %w: tensor<128x256xi8>, %s: tensor<256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<128x256xf32>
  %b = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<128x256xi8>, tensor<256xf32>) outs(%d : tensor<128x256xf32>) {
  ^bb0(%x: i8, %y: f32, %o: f32):
    %f = arith.sitofp %x : i8 to f32
    %m = arith.mulf %f, %y : f32
    linalg.yield %m : f32
  } -> tensor<128x256xf32>
  %e = tensor.empty() : tensor<32x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x256xf32>) outs(%f : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %m = arith.mulf %x, %y : f32
    %u = arith.addf %t, %m : f32
    linalg.yield %u : f32
  } -> tensor<32x256xf32>
  return %r : tensor<32x256xf32>
}

// -----

// Sums of 16-bit floats are wide where a product has no blocks, too: neighbors in this result are of other batches.
// CHECK-LABEL: func @batches
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<3x32x64xf16>, tensor<3x64x32xf16>) outs(%{{.*}} : tensor<32x32x3xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<32x32x3xf32>) outs(%arg2 : tensor<32x32x3xf16>)
// CHECK: arith.truncf
func.func @batches(%a: tensor<3x32x64xf16>, %b: tensor<3x64x32xf16>, %c: tensor<32x32x3xf16>) -> tensor<32x32x3xf16> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x32x64xf16>, tensor<3x64x32xf16>) outs(%c : tensor<32x32x3xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %m = arith.mulf %x, %y : f16
    %t = arith.addf %s, %m : f16
    linalg.yield %t : f16
  } -> tensor<32x32x3xf16>
  return %r : tensor<32x32x3xf16>
}

// -----

// Blocks of 48 columns leave the fewest of the last one empty: 15 of 3 times 48, and not 63 of 3 times 64.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @even
// CHECK: scf.for %{{.*}} = %c0 to %c129 step %c48
// CHECK: tensor<128x48xf32>) {{.*}} {norm.product}
func.func @even(%a: tensor<32x128xf32>, %b: tensor<128x129xf32>, %c: tensor<32x129xf32>) -> tensor<32x129xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x129xf32>) outs(%c : tensor<32x129xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x129xf32>
  return %r : tensor<32x129xf32>
}

// -----

// A matrix that is computed for a vector is so block by block.
// CHECK-LABEL: func @computed_for_vector
// CHECK: scf.for
// CHECK:   math.exp
// CHECK:   {norm.thin_product = 0 : i64}
func.func @computed_for_vector(%a: tensor<128xbf16>, %w: tensor<128x256xbf16>, %c: tensor<256xbf16>) -> tensor<256xbf16> {
  %e = tensor.empty() : tensor<128x256xbf16>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<128x256xbf16>) outs(%e : tensor<128x256xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %v = math.exp %x : bf16
    linalg.yield %v : bf16
  } -> tensor<128x256xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %n : tensor<128xbf16>, tensor<128x256xbf16>) outs(%c : tensor<256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<256xbf16>
  return %r : tensor<256xbf16>
}

// -----

// Longer sums are added part by part, whose columns are packed one after the other.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @parts
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c64
// CHECK:   %[[B:.*]] = tensor.extract_slice %arg1[0, %[[J]]] [384, 64] [1, 1]
// CHECK:   scf.for %[[PART:.*]] = %c0 to %c3 step %c1 iter_args(%[[SUMS:.*]] = %{{.*}})
// CHECK:     %[[K:.*]] = affine.apply #{{.*}}()[%[[PART]]]
// CHECK:     %[[COLUMNS:.*]] = tensor.extract_slice %[[B]][%[[K]], 0] [128, 64] [1, 1]
// CHECK:     linalg.generic {{.*}} ins(%[[COLUMNS]] : tensor<128x64xf32>) {{.*}} {norm.pack}
// CHECK:     %[[A:.*]] = tensor.extract_slice %arg0[0, %[[K]]] [32, 128] [1, 1]
// CHECK:     linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<32x128xf32>, tensor<128x64xf32>) outs(%[[SUMS]] {{.*}} {norm.product
// CHECK:   } {norm.loop = #norm.loop<product>}
func.func @parts(%a: tensor<32x384xf32>, %b: tensor<384x256xf32>, %c: tensor<32x256xf32>) -> tensor<32x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x384xf32>, tensor<384x256xf32>) outs(%c : tensor<32x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x256xf32>
  return %r : tensor<32x256xf32>
}

// -----

// Of more than 256 rows all columns of a block are packed at once, up to 1024 products long.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @many_rows
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<384x64xf32>) {{.*}} {norm.pack}
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<300x384xf32>, tensor<384x64xf32>) {{.*}} {norm.product
func.func @many_rows(%a: tensor<300x384xf32>, %b: tensor<384x256xf32>, %c: tensor<300x256xf32>) -> tensor<300x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<300x384xf32>, tensor<384x256xf32>) outs(%c : tensor<300x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<300x256xf32>
  return %r : tensor<300x256xf32>
}

// -----

// A matrix that blocks compute is not computed again for the vector that it is multiplied by: that product is
// one of few rows.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#m = affine_map<(d0, d1) -> (d0, d1)>
#v = affine_map<(d0, d1) -> (d1)>
#r = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @matrix_of_blocks
// CHECK: %[[MATRIX:.*]] = scf.if
// CHECK: linalg.generic {{.*}} ins(%[[MATRIX]], %arg2 {{.*}}norm.thin_product
func.func @matrix_of_blocks(%a: tensor<?x64xbf16>, %w: tensor<64x64xbf16>, %v: tensor<64xbf16>, %h: tensor<?x64xbf16>, %y: tensor<?xbf16>) -> tensor<?xbf16> {
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%h : tensor<?x64xbf16>) {
  ^bb0(%x: bf16, %z: bf16, %s: bf16):
    %m = arith.mulf %x, %z : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<?x64xbf16>
  %q = linalg.generic {indexing_maps = [#m, #v, #r], iterator_types = ["parallel", "reduction"]}
      ins(%p, %v : tensor<?x64xbf16>, tensor<64xbf16>) outs(%y : tensor<?xbf16>) {
  ^bb0(%x: bf16, %z: bf16, %s: bf16):
    %m = arith.mulf %x, %z : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<?xbf16>
  return %q : tensor<?xbf16>
}

// -----

// What is a batch for one product is a row for another one, whose B all batches share: blocks have one.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#own = affine_map<(b, m, n, k) -> (b, k, n)>
#shared = affine_map<(b, m, n, k) -> (k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
// CHECK-LABEL: func @batched_and_shared
// CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
// CHECK: tensor.extract_slice %arg1[%[[B]], 0, 0] [1, 32, 64]
// CHECK: return
func.func @batched_and_shared(%a: tensor<2x16x32xf32>, %v: tensor<2x32x64xf32>, %w: tensor<32x64xf32>, %o: tensor<2x16x64xf32>) -> tensor<2x16x64xf32> {
  %g = linalg.generic {indexing_maps = [#a, #own, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %v : tensor<2x16x32xf32>, tensor<2x32x64xf32>) outs(%o : tensor<2x16x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x16x64xf32>
  %h = linalg.generic {indexing_maps = [#a, #shared, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<2x16x32xf32>, tensor<32x64xf32>) outs(%o : tensor<2x16x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x16x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g, %h : tensor<2x16x64xf32>, tensor<2x16x64xf32>) outs(%o : tensor<2x16x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<2x16x64xf32>
  return %r : tensor<2x16x64xf32>
}

// The place of an element is that of all columns, by ops that have vectors.
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#sums = affine_map<(i, j, k) -> (i, j)>
#plain = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @masked
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c64
// CHECK: %[[AT:.*]] = linalg.index 1
// CHECK-NEXT: arith.addi %[[J]], %[[AT]]
func.func @masked(%a: tensor<48x64xf32>, %b: tensor<64x256xf32>, %o: tensor<48x256xf32>) -> tensor<48x256xf32> {
  %hidden = arith.constant -1.0e30 : f32
  %p = linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<48x64xf32>, tensor<64x256xf32>) outs(%o : tensor<48x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<48x256xf32>
  %r = linalg.generic {indexing_maps = [#plain, #plain], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<48x256xf32>) outs(%o : tensor<48x256xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %isSeen = arith.cmpi sle, %j, %i : index
    %s = arith.select %isSeen, %x, %hidden : f32
    linalg.yield %s : f32
  } -> tensor<48x256xf32>
  return %r : tensor<48x256xf32>
}

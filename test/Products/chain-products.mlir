// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products,canonicalize,cse))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{threads=2},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=THREADS
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{products=loops},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=LOOPS

// Of what is between two products a block of rows exists at a time. The first
// product is computed once for its two readers; the factors of a batch are read
// by each block, and packed before the loop over these if their blocks of columns
// are full.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, d, n) -> (b, n, d)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
module attributes {norm.row_target = {large_bytes = 4096, chain_rows = 32}} {
// CHECK-LABEL: func @attention
// CHECK-NOT: tensor<4x96x128xf32>
// CHECK: scf.for %[[B:.*]] = %c0 to %c4 step %c1
// CHECK:   tensor.extract_slice %arg1[%[[B]], 0, 0] [1, 128, 16]
// CHECK:   %[[PACKED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x16x64xf32>) {{.*}}norm.pack
// CHECK:   scf.for %[[M:.*]] = %c0 to %c96 step %c32
// CHECK:     %[[Q:.*]] = tensor.extract_slice %arg0[%[[B]], %[[M]], 0] [1, 32, 16]
// CHECK:     scf.for
// CHECK:       %[[BLOCK:.*]] = tensor.extract_slice %[[PACKED]]
// CHECK:       linalg.generic {{.*}} ins(%[[Q]], %[[BLOCK]] : tensor<1x32x16xf32>, {{.*}} {norm.product
// CHECK:       math.exp
// CHECK:     } {norm.loop = #norm.loop<product>}
// CHECK-NOT: norm.product
// CHECK:     tensor<1x32xf32>
// CHECK:     arith.divf
// CHECK:     } -> tensor<1x32x128xf32>
// CHECK:     norm.product
// CHECK-NOT: norm.product
// CHECK: return

// Threads share batches and blocks, and nothing in them.
// THREADS-LABEL: func @attention
// THREADS: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (4, 96) step (1, 32)
// THREADS-NOT: scf.forall (
// THREADS: return

// LOOPS-LABEL: func @attention
// LOOPS-NOT: scf.for
func.func @attention(%q: tensor<4x96x16xf32>, %k: tensor<4x128x16xf32>, %w: tensor<4x128x16xf32>) -> tensor<4x96x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x96x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x96x128xf32>) -> tensor<4x96x128xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x96x16xf32>, tensor<4x128x16xf32>) outs(%f : tensor<4x96x128xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x96x128xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x96x128xf32>) outs(%e : tensor<4x96x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<4x96x128xf32>
  %re = tensor.empty() : tensor<4x96xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<4x96xf32>) -> tensor<4x96xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<4x96x128xf32>) outs(%rf : tensor<4x96xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.addf %o, %x : f32
    linalg.yield %t : f32
  } -> tensor<4x96xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<4x96x128xf32>, tensor<4x96xf32>) outs(%e : tensor<4x96x128xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.divf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<4x96x128xf32>
  %ce = tensor.empty() : tensor<4x96x16xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<4x96x16xf32>) -> tensor<4x96x16xf32>
  %r = linalg.generic {indexing_maps = [#a, #v, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%d, %w : tensor<4x96x128xf32>, tensor<4x128x16xf32>) outs(%cf : tensor<4x96x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x96x16xf32>
  return %r : tensor<4x96x16xf32>
}
}

// -----

// Extents that are not known: each reader's copy of the first product is of the
// same rows, and the whole of none is left.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, d, n) -> (b, n, d)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
// CHECK-LABEL: func @unknown
// CHECK: scf.for
// CHECK:   scf.for %[[M:.*]] = %c0 to %{{.*}} step %c128
// CHECK:     %[[SIZE:.*]] = affine.min
// CHECK:     norm.product
// CHECK-NOT: norm.product
// CHECK:     math.exp
// CHECK:     arith.divf
// CHECK:     norm.product
// CHECK-NOT: norm.product
// CHECK: return
func.func @unknown(%q: tensor<4x?x16xf32>, %k: tensor<4x?x16xf32>, %w: tensor<4x?x16xf32>) -> tensor<4x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c1 : tensor<4x?x16xf32>
  %n = tensor.dim %k, %c1 : tensor<4x?x16xf32>
  %e = tensor.empty(%m, %n) : tensor<4x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x?x16xf32>, tensor<4x?x16xf32>) outs(%f : tensor<4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x?x?xf32>
  %sm = tensor.dim %s, %c1 : tensor<4x?x?xf32>
  %sn = tensor.dim %s, %c2 : tensor<4x?x?xf32>
  %ee = tensor.empty(%sm, %sn) : tensor<4x?x?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x?x?xf32>) outs(%ee : tensor<4x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<4x?x?xf32>
  %re = tensor.empty(%sm) : tensor<4x?xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<4x?xf32>) -> tensor<4x?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<4x?x?xf32>) outs(%rf : tensor<4x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.addf %o, %x : f32
    linalg.yield %t : f32
  } -> tensor<4x?xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<4x?x?xf32>, tensor<4x?xf32>) outs(%ee : tensor<4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.divf %x, %y : f32
    linalg.yield %t : f32
  } -> tensor<4x?x?xf32>
  %dm = tensor.dim %d, %c1 : tensor<4x?x?xf32>
  %ce = tensor.empty(%dm) : tensor<4x?x16xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<4x?x16xf32>) -> tensor<4x?x16xf32>
  %r = linalg.generic {indexing_maps = [#a, #v, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%d, %w : tensor<4x?x?xf32>, tensor<4x?x16xf32>) outs(%cf : tensor<4x?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x?x16xf32>
  return %r : tensor<4x?x16xf32>
}

// -----

// What another op reads exists whole, and so does what is before it; blocks of
// a matrix that all rows read, such as a weight, are read by all rows.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
module attributes {norm.row_target = {large_bytes = 4096, chain_rows = 32}} {
// CHECK-LABEL: func @read_twice
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64
// CHECK-NOT: step %c32
func.func @read_twice(%x: tensor<96x16xf32>, %w: tensor<16x128xf32>, %u: tensor<128x16xf32>) -> (tensor<96x16xf32>, tensor<96x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x128xf32>) -> tensor<96x128xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<96x16xf32>, tensor<16x128xf32>) outs(%f : tensor<96x128xf32>) {
  ^bb0(%p: f32, %y: f32, %o: f32):
    %v = arith.mulf %p, %y : f32
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<96x128xf32>
  %ce = tensor.empty() : tensor<96x16xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<96x16xf32>) -> tensor<96x16xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %u : tensor<96x128xf32>, tensor<128x16xf32>) outs(%cf : tensor<96x16xf32>) {
  ^bb0(%p: f32, %y: f32, %o: f32):
    %v = arith.mulf %p, %y : f32
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<96x16xf32>
  return %r, %s : tensor<96x16xf32>, tensor<96x128xf32>
}

// CHECK-LABEL: func @weights
// CHECK-NOT: step %c32
// CHECK: return
func.func @weights(%x: tensor<96x512xf32>, %w: tensor<512x128xf32>, %u: tensor<128x512xf32>) -> tensor<96x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x128xf32>) -> tensor<96x128xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<96x512xf32>, tensor<512x128xf32>) outs(%f : tensor<96x128xf32>) {
  ^bb0(%p: f32, %y: f32, %o: f32):
    %v = arith.mulf %p, %y : f32
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<96x128xf32>
  %ce = tensor.empty() : tensor<96x512xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<96x512xf32>) -> tensor<96x512xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %u : tensor<96x128xf32>, tensor<128x512xf32>) outs(%cf : tensor<96x512xf32>) {
  ^bb0(%p: f32, %y: f32, %o: f32):
    %v = arith.mulf %p, %y : f32
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<96x512xf32>
  return %r : tensor<96x512xf32>
}
}

// -----

// Groups of rows share a factor, and a view joins them with the batches. It
// moves behind all that has its loops; a sum over what a view joins keeps it.
#a = affine_map<(b, g, m, n, k) -> (b, g, m, k)>
#b = affine_map<(b, g, m, n, k) -> (b, n, k)>
#c = affine_map<(b, g, m, n, k) -> (b, g, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#v = affine_map<(b, g, m, d, n) -> (b, n, d)>
module attributes {norm.row_target = {large_bytes = 4096, chain_rows = 32}} {
// CHECK-LABEL: func @groups
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK:   scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK:     scf.for %{{.*}} = %c0 to %c96 step %c32
// CHECK:       norm.product
// CHECK:       math.exp
// CHECK:       tensor<1x1x32x128xf32>
// CHECK:       norm.product
// CHECK-NOT: tensor<2x2x96x128xf32>
// CHECK: return
func.func @groups(%q: tensor<2x2x96x16xf32>, %k: tensor<2x128x16xf32>, %w: tensor<2x128x16xf32>) -> tensor<2x2x96x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x96x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2x96x128xf32>) -> tensor<2x2x96x128xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2x96x16xf32>, tensor<2x128x16xf32>) outs(%f : tensor<2x2x96x128xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x2x96x128xf32>
  %joined = tensor.collapse_shape %s [[0, 1], [2], [3]] : tensor<2x2x96x128xf32> into tensor<4x96x128xf32>
  %ee = tensor.empty() : tensor<4x96x128xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%joined : tensor<4x96x128xf32>) outs(%ee : tensor<4x96x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<4x96x128xf32>
  %apart = tensor.expand_shape %exp [[0, 1], [2], [3]] output_shape [2, 2, 96, 128] : tensor<4x96x128xf32> into tensor<2x2x96x128xf32>
  %ce = tensor.empty() : tensor<2x2x96x16xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<2x2x96x16xf32>) -> tensor<2x2x96x16xf32>
  %r = linalg.generic {indexing_maps = [#a, #v, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%apart, %w : tensor<2x2x96x128xf32>, tensor<2x128x16xf32>) outs(%cf : tensor<2x2x96x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x2x96x16xf32>
  return %r : tensor<2x2x96x16xf32>
}

// CHECK-LABEL: func @sum_of_joined
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
func.func @sum_of_joined(%q: tensor<4x96x16xf32>, %k: tensor<4x128x16xf32>) -> tensor<96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x4x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x4x128xf32>) -> tensor<96x4x128xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (m, b, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x96x16xf32>, tensor<4x128x16xf32>) outs(%f : tensor<96x4x128xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<96x4x128xf32>
  %joined = tensor.collapse_shape %s [[0], [1, 2]] : tensor<96x4x128xf32> into tensor<96x512xf32>
  %re = tensor.empty() : tensor<96xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<96xf32>) -> tensor<96xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%joined : tensor<96x512xf32>) outs(%rf : tensor<96xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.addf %o, %x : f32
    linalg.yield %t : f32
  } -> tensor<96xf32>
  return %sum : tensor<96xf32>
}
}

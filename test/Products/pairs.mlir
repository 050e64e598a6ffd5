// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{kinds=pairs},canonicalize,cse))' --split-input-file | FileCheck %s

// Both operands stay bf16; pairs of depths are the last dimension of what is packed.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @pairs
// CHECK-DAG: %[[A:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [32, 64, 2]
// CHECK-DAG: %[[B:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [64, 2, 256]
// CHECK: scf.for
// CHECK:   linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64x64x2xbf16>) attrs = {norm.pack}
// CHECK:   linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<32x64x2xbf16>, tensor<64x64x2xbf16>) outs(%{{.*}} : tensor<32x64xf32>) attrs = {norm.product}
func.func @pairs(%a: tensor<32x128xbf16>, %b: tensor<128x256xbf16>, %c: tensor<32x256xbf16>) -> tensor<32x256xbf16> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xbf16>, tensor<128x256xbf16>) outs(%c : tensor<32x256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<32x256xbf16>
  return %r : tensor<32x256xbf16>
}
}

// -----

// A last depth without a neighbor: f32.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @odd
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<32x129xbf16>) outs(%{{.*}} : tensor<32x129xf32>)
// CHECK: tensor<129x64xf32>) {{.*}} {norm.product
func.func @odd(%a: tensor<32x129xbf16>, %b: tensor<129x256xbf16>, %c: tensor<32x256xbf16>) -> tensor<32x256xbf16> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x129xbf16>, tensor<129x256xbf16>) outs(%c : tensor<32x256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<32x256xbf16>
  return %r : tensor<32x256xbf16>
}
}

// -----

// Depths that are not known may be odd.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @unknown
// CHECK: tensor<?x64xf32>) {{.*}} {norm.product
func.func @unknown(%a: tensor<32x?xbf16>, %b: tensor<?x256xbf16>, %c: tensor<32x256xbf16>) -> tensor<32x256xbf16> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x?xbf16>, tensor<?x256xbf16>) outs(%c : tensor<32x256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<32x256xbf16>
  return %r : tensor<32x256xbf16>
}
}

// -----

// Bytes become halves of words: those of A once, those of B where they are packed.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @bytes
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<32x128xi8>) outs(%{{.*}} : tensor<32x128xi16>)
// CHECK:   arith.extsi %{{.*}} : i8 to i16
// CHECK: %[[A:.*]] = tensor.expand_shape %[[WIDE]] {{\[\[}}0], [1, 2]] output_shape [32, 64, 2]
// CHECK: scf.for
// CHECK:   linalg.generic {{.*}} outs(%{{.*}} : tensor<1x64x64x2xi16>) attrs = {norm.pack}
// CHECK:     arith.extui %{{.*}} : i8 to i16
// CHECK:   linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<32x64x2xi16>, tensor<64x64x2xi16>) outs(%{{.*}} : tensor<32x64xi32>) attrs = {norm.product
// CHECK:     arith.extsi %{{.*}} : i16 to i32
func.func @bytes(%a: tensor<32x128xi8>, %b: tensor<128x256xi8>, %c: tensor<32x256xi32>) -> tensor<32x256xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xi8>, tensor<128x256xi8>) outs(%c : tensor<32x256xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<32x256xi32>
  return %r : tensor<32x256xi32>
}
}

// -----

// A sum of an odd number of them is one of words.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @odd_bytes
// CHECK: tensor<129x64xi32>) {{.*}} {norm.product
func.func @odd_bytes(%a: tensor<32x129xi8>, %b: tensor<129x256xi8>, %c: tensor<32x256xi32>) -> tensor<32x256xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x129xi8>, tensor<129x256xi8>) outs(%c : tensor<32x256xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<32x256xi32>
  return %r : tensor<32x256xi32>
}
}

// -----

// What is computed for this product alone, is so by blocks, and by words: of rows of B that are columns of the
// product, the words of a row are one loop.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @computed
// CHECK: scf.for
// CHECK:   %[[B:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<64x128xi8>, tensor<64xbf16>) outs(%{{.*}} : tensor<64x128xbf16>)
// CHECK:     arith.sitofp
// CHECK:   %[[WORDS:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0], [1, 2]] output_shape [64, 64, 2]
// CHECK:   linalg.generic {{.*}} ins(%[[WORDS]] : tensor<64x64x2xbf16>) {{.*}} {norm.pack}
func.func @computed(%a: tensor<32x128xbf16>, %w: tensor<256x128xi8>, %s: tensor<256xbf16>, %c: tensor<32x256xbf16>) -> tensor<32x256xbf16> {
  %e = tensor.empty() : tensor<256x128xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x128xi8>, tensor<256xbf16>) outs(%e : tensor<256x128xbf16>) {
  ^bb0(%x: i8, %y: bf16, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %v = arith.mulf %f, %y : bf16
    linalg.yield %v : bf16
  } -> tensor<256x128xbf16>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xbf16>, tensor<256x128xbf16>) outs(%c : tensor<32x256xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s2: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s2, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<32x256xbf16>
  return %r : tensor<32x256xbf16>
}
}

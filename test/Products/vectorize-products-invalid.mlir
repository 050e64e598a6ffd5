// RUN: norm-opt %s --norm-vectorize-products --split-input-file --verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_product(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf32>) outs(%c : memref<8x8xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @columns_of_half_a_tile(%a: memref<8x8xf32>, %b: memref<8x96xf32>, %c: memref<8x96xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x96xf32>) outs(%c : memref<8x96xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @unknown_columns(%a: memref<8x8xf32>, %b: memref<8x?xf32>, %c: memref<8x?xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x?xf32>) outs(%c : memref<8x?xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @unknown_rows(%a: memref<?x8xf32>, %b: memref<8x64xf32>, %c: memref<?x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x8xf32>, memref<8x64xf32>) outs(%c : memref<?x64xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// What is a neighbor in B's memory is none in that of A.
#a = affine_map<(d0, d1, d2) -> (d2, d0)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @turned_rows(%a: memref<64x4xf32>, %b: memref<32x64xf32>, %c: memref<4x32xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x4xf32>, memref<32x64xf32>) outs(%c : memref<4x32xf32>) attrs = {norm.thin_product = 0 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

func.func @no_copy(%c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error@below {{norm-vectorize-products: expects a copy with 'norm.pack'}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<8x8xf32>) attrs = {norm.pack} {
  ^bb0(%s: f32):
    linalg.yield %zero : f32
  }
  return
}

// -----

func.func @no_widening(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@below {{norm-vectorize-products: expects a copy with 'norm.pack'}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf32>) outs(%c : memref<8x8xf32>) attrs = {norm.pack} {
  ^bb0(%x: f32, %s: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  }
  return
}

// -----

// What fills no tile of AMX: a sum, other elements, no words, rows.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @depth(%a: memref<16x24x2xbf16>, %b: memref<24x64x2xbf16>, %c: memref<16x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x24x2xbf16>, memref<24x64x2xbf16>) outs(%c : memref<16x64xf32>) attrs = {norm.amx, norm.product} {
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

#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @elements(%a: memref<16x16x2xf16>, %b: memref<16x64x2xf16>, %c: memref<16x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x16x2xf16>, memref<16x64x2xf16>) outs(%c : memref<16x64xf32>) attrs = {norm.amx, norm.product} {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %p = arith.extf %x : f16 to f32
    %q = arith.extf %y : f16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @words(%a: memref<16x16x4xbf16>, %b: memref<16x64x4xbf16>, %c: memref<16x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x16x4xbf16>, memref<16x64x4xbf16>) outs(%c : memref<16x64xf32>) attrs = {norm.amx, norm.product} {
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

#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @rows(%a: memref<17x16x2xbf16>, %b: memref<16x64x2xbf16>, %c: memref<17x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<17x16x2xbf16>, memref<16x64x2xbf16>) outs(%c : memref<17x64xf32>) attrs = {norm.amx, norm.product} {
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

// f32 has no pairs.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @pairs_of_f32(%a: memref<4x32xf32>, %b: memref<64x32xf32>, %c: memref<4x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x32xf32>, memref<64x32xf32>) outs(%c : memref<4x64xf32>) attrs = {norm.thin_product = 1 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Columns of B that are neighbors are no words.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @tiles_of_columns(%a: memref<4x64xi8>, %b: memref<64x64xi8>, %c: memref<4x64xi32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x64xi8>, memref<64x64xi8>) outs(%c : memref<4x64xi32>) attrs = {norm.thin_product = 2 : i64} {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  }
  return
}
}

// -----

// There is no such kind.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64}} {
func.func @kind(%a: memref<4x32xf32>, %b: memref<64x32xf32>, %c: memref<4x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x32xf32>, memref<64x32xf32>) outs(%c : memref<4x64xf32>) attrs = {norm.thin_product = 3 : i64} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

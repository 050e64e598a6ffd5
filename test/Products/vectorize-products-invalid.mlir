// RUN: norm-opt %s --norm-vectorize-products --split-input-file --verify-diagnostics

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @numbers(%a: memref<8x8xf32>, %b: memref<8x64xf32>, %c: memref<8x64xf32>) {
  // expected-error@below {{norm-vectorize-products: expects a product with 3 numbers in 'norm.product', from 1 on}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x64xf32>) outs(%c : memref<8x64xf32>) attrs = {norm.product = array<i64: 6, 0, 512>} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_product(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf32>) outs(%c : memref<8x8xf32>) attrs = {norm.thin_product = array<i64: 6, 16, 8, 0>} {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @columns_of_half_a_tile(%a: memref<8x8xf32>, %b: memref<8x40xf32>, %c: memref<8x40xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x40xf32>) outs(%c : memref<8x40xf32>) attrs = {norm.product = array<i64: 6, 64, 512>} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @unknown_columns(%a: memref<8x8xf32>, %b: memref<8x?xf32>, %c: memref<8x?xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x?xf32>) outs(%c : memref<8x?xf32>) attrs = {norm.product = array<i64: 6, 64, 512>} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @unknown_rows(%a: memref<?x8xf32>, %b: memref<8x64xf32>, %c: memref<?x64xf32>) {
  // expected-error@below {{norm-vectorize-products: 'norm.thin_product' does not fit the op's loops or extents}}
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x8xf32>, memref<8x64xf32>) outs(%c : memref<?x64xf32>) attrs = {norm.thin_product = array<i64: 6, 64, 8, 0>} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
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

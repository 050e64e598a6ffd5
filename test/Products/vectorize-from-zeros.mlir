// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-products,canonicalize,cse))' --split-input-file | FileCheck %s

// Sums of one pass start from zeros in registers, which need not be in memory.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @one_pass
// CHECK-NOT: linalg.generic
// CHECK-NOT: vector.load %arg2
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS:.*]], %{{.*}} = %[[ZEROS]]) -> (vector<64xf32>, vector<64xf32>)
// CHECK-COUNT-2: vector.store
// CHECK-NOT: vector.store
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @one_pass(%a: memref<2x512xf32>, %b: memref<512x64xf32>, %c: memref<2x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<2x64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x512xf32>, memref<512x64xf32>) outs(%c : memref<2x64xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
}

// -----

// Two passes, another start, or zeros that something reads: sums are loaded.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @two_passes
// CHECK: linalg.generic
// CHECK: vector.load %arg2
module attributes {norm.row_target = {product_lanes = 64, product_depth = 512}} {
func.func @two_passes(%a: memref<2x600xf32>, %b: memref<600x64xf32>, %c: memref<2x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<2x64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x600xf32>, memref<600x64xf32>) outs(%c : memref<2x64xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}

// CHECK-LABEL: func @minus_zero
// CHECK: linalg.generic
// CHECK: vector.load %arg2
func.func @minus_zero(%a: memref<2x512xf32>, %b: memref<512x64xf32>, %c: memref<2x64xf32>) {
  %zero = arith.constant -0.0 : f32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<2x64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x512xf32>, memref<512x64xf32>) outs(%c : memref<2x64xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}

// CHECK-LABEL: func @read
// CHECK: linalg.generic
// CHECK: memref.load %arg2
// CHECK: vector.load %arg2
func.func @read(%a: memref<2x512xf32>, %b: memref<512x64xf32>, %c: memref<2x64xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<2x64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  %first = memref.load %c[%c0, %c0] : memref<2x64xf32>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x512xf32>, memref<512x64xf32>) outs(%c : memref<2x64xf32>) attrs = {norm.product} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return %first : f32
}
}

// -----

// Tiles of AMX.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @amx
// CHECK-NOT: linalg.generic
// CHECK: %[[SUM:.*]] = amx.tile_zero : !amx.tile<16x16xf32>
// CHECK-NOT: amx.tile_load %arg2
// CHECK: amx.tile_mulf
// CHECK: amx.tile_store %arg2
module attributes {norm.row_target = {product_depth = 512}} {
func.func @amx(%a: memref<16x32x2xbf16>, %b: memref<32x16x2xbf16>, %c: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<16x16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x32x2xbf16>, memref<32x16x2xbf16>) outs(%c : memref<16x16xf32>) attrs = {norm.amx, norm.product} {
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

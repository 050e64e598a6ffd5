// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{kinds=tiles lanes=64},canonicalize,cse))' --split-input-file | FileCheck %s

// Words of two neighbors along the sum.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @bf16
// CHECK: %[[A:.*]] = tensor.expand_shape %arg0 {{.*}} output_shape [40, 32, 2]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<40x32x2xbf16>, tensor<32x64x2xbf16>) outs(%{{.*}} : tensor<40x64xf32>) attrs = {norm.amx, norm.product = array<i64: 6, 64, 512>}
func.func @bf16(%a: tensor<40x64xbf16>, %b: tensor<256x64xbf16>, %c: tensor<40x256xf32>) -> tensor<40x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x64xbf16>, tensor<256x64xbf16>) outs(%c : tensor<40x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<40x256xf32>
  return %r : tensor<40x256xf32>
}

// -----

// Words of four integers, whatever their signs.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @i8
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<16x16x4xi8>, tensor<16x64x4xi8>) outs(%{{.*}} : tensor<16x64xi32>) attrs = {norm.amx
func.func @i8(%a: tensor<16x64xi8>, %b: tensor<64x256xi8>, %c: tensor<16x256xi32>) -> tensor<16x256xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x64xi8>, tensor<64x256xi8>) outs(%c : tensor<16x256xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<16x256xi32>
  return %r : tensor<16x256xi32>
}

// -----

// A number of rows that is not known.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @unknown_rows
// CHECK: tensor<?x32x2xbf16>, tensor<32x64x2xbf16>) {{.*}} {norm.amx
func.func @unknown_rows(%a: tensor<?x64xbf16>, %b: tensor<256x64xbf16>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x64xbf16>, tensor<256x64xbf16>) outs(%c : tensor<?x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @unknown_rows_i8
// CHECK: tensor<?x16x4xi8>, tensor<16x64x4xi8>) {{.*}} {norm.amx
func.func @unknown_rows_i8(%a: tensor<?x64xi8>, %b: tensor<256x64xi8>, %c: tensor<?x256xi32>) -> tensor<?x256xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x64xi8>, tensor<256x64xi8>) outs(%c : tensor<?x256xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<?x256xi32>
  return %r : tensor<?x256xi32>
}

// -----

// Fewer rows than a tile has.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @rows
// CHECK: tensor<12x32x2xbf16>, tensor<32x64x2xbf16>) {{.*}} {norm.amx
func.func @rows(%a: tensor<12x64xbf16>, %b: tensor<64x256xbf16>, %c: tensor<12x256xf32>) -> tensor<12x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<12x64xbf16>, tensor<64x256xbf16>) outs(%c : tensor<12x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<12x256xf32>
  return %r : tensor<12x256xf32>
}

// -----

// Of integers so do 3 rows.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @rows_i8
// CHECK: tensor<3x16x4xi8>, tensor<16x64x4xi8>) {{.*}} {norm.amx
func.func @rows_i8(%a: tensor<3x64xi8>, %b: tensor<64x256xi8>, %c: tensor<3x256xi32>) -> tensor<3x256xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x64xi8>, tensor<64x256xi8>) outs(%c : tensor<3x256xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<3x256xi32>
  return %r : tensor<3x256xi32>
}

// -----

// Few rows, by tiles of B where it is: words of both are neighbors in memory.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few_rows
// CHECK: ins(%arg0, %arg1 : tensor<12x64xbf16>, tensor<256x64xbf16>) {{.*}} {norm.thin_product = array<i64: 6, 64, 8, 2>}
func.func @few_rows(%a: tensor<12x64xbf16>, %b: tensor<256x64xbf16>, %c: tensor<12x256xf32>) -> tensor<12x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<12x64xbf16>, tensor<256x64xbf16>) outs(%c : tensor<12x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<12x256xf32>
  return %r : tensor<12x256xf32>
}

// -----

// A sum that fills no tile.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @depth
// CHECK-NOT: norm.amx
func.func @depth(%a: tensor<40x48xbf16>, %b: tensor<256x48xbf16>, %c: tensor<40x256xf32>) -> tensor<40x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x48xbf16>, tensor<256x48xbf16>) outs(%c : tensor<40x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<40x256xf32>
  return %r : tensor<40x256xf32>
}

// -----

// A matrix whose rows are no neighbors along the sum.
#a = affine_map<(d0, d1, d2) -> (d2, d0)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @turned
// CHECK-NOT: norm.amx
func.func @turned(%a: tensor<64x40xbf16>, %b: tensor<256x64xbf16>, %c: tensor<40x256xf32>) -> tensor<40x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x40xbf16>, tensor<256x64xbf16>) outs(%c : tensor<40x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<40x256xf32>
  return %r : tensor<40x256xf32>
}

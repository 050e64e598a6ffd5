// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products,canonicalize,cse))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{parallel=true kinds=pairs},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=PAR

// Few rows: B is read in place. Threads share its columns.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x128xf32>, tensor<128x2048xf32>) {{.*}} {norm.thin_product = array<i64: 6, 16, 8, 0>}
// PAR-LABEL: func @few
// PAR: scf.forall (%{{.*}}) = (0) to (2048) step (512)
// PAR: ins(%arg0, %{{.*}} : tensor<4x128xf32>, tensor<128x512xf32>) {{.*}} {norm.thin_product
func.func @few(%a: tensor<4x128xf32>, %b: tensor<128x2048xf32>, %c: tensor<4x2048xf32>) -> tensor<4x2048xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x128xf32>, tensor<128x2048xf32>) outs(%c : tensor<4x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x2048xf32>
  return %r : tensor<4x2048xf32>
}

// -----

// An instruction of AVX512-BF16 adds products of pairs.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few_bf16
// CHECK: {norm.thin_product = array<i64: 6, 16, 8, 0>}
// PAR-LABEL: func @few_bf16
// PAR: {norm.thin_product = array<i64: 6, 16, 8, 1>}
func.func @few_bf16(%a: tensor<4x128xbf16>, %b: tensor<128x2048xbf16>, %c: tensor<4x2048xbf16>) -> tensor<4x2048xbf16> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x128xbf16>, tensor<128x2048xbf16>) outs(%c : tensor<4x2048xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<4x2048xbf16>
  return %r : tensor<4x2048xbf16>
}

// -----

// Any number of rows: up to four are products of one row each, more are blocks.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @unknown
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[ROWS]], %c4
// CHECK: scf.if %[[FEW]]
// CHECK:   scf.for
// CHECK:     ins(%{{.*}}, %arg1 : tensor<1x128xf32>, tensor<128x256xf32>) {{.*}} {norm.thin_product
// CHECK: } else {
// CHECK:   scf.for
// CHECK:     {norm.product
func.func @unknown(%a: tensor<?x128xf32>, %b: tensor<128x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x128xf32>, tensor<128x256xf32>) outs(%c : tensor<?x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}

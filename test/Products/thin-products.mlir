// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products,canonicalize,cse))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{threads=4 kinds=pairs},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=PAR

// Few rows: B is read in place. Threads share its columns.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x128xf32>, tensor<128x2048xf32>) {{.*}} {norm.thin_product = 0 : i64}
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

// Level 1 keeps the sums of a block: 32 KiB of eight rows.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// PAR-LABEL: func @wide
// PAR: scf.forall (%{{.*}}) = (0) to (8192) step (1024)
func.func @wide(%a: tensor<8x128xf32>, %b: tensor<128x8192xf32>, %c: tensor<8x8192xf32>) -> tensor<8x8192xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x128xf32>, tensor<128x8192xf32>) outs(%c : tensor<8x8192xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8192xf32>
  return %r : tensor<8x8192xf32>
}

// -----

// An instruction of AVX512-BF16 adds products of pairs.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few_bf16
// CHECK: {norm.thin_product = 0 : i64}
// PAR-LABEL: func @few_bf16
// PAR: {norm.thin_product = 1 : i64}
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
// CHECK: %[[ROWS:.*]] = tensor.dim %arg2, %c0
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

// -----

// The instruction adds to f32 alone.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// PAR-LABEL: func @bf16_in_f64
// PAR: {norm.thin_product = 0 : i64}
func.func @bf16_in_f64(%a: tensor<2x64xbf16>, %b: tensor<1024x64xbf16>, %c: tensor<2x1024xf64>) -> tensor<2x1024xf64> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x64xbf16>, tensor<1024x64xbf16>) outs(%c : tensor<2x1024xf64>) {
  ^bb0(%x: bf16, %y: bf16, %s: f64):
    %u = arith.extf %x : bf16 to f64
    %v = arith.extf %y : bf16 to f64
    %m = arith.mulf %u, %v : f64
    %t = arith.addf %s, %m : f64
    linalg.yield %t : f64
  } -> tensor<2x1024xf64>
  return %r : tensor<2x1024xf64>
}

// -----

// Rows of A that are no neighbors along the sum are blocks, as few as they are.
#a = affine_map<(d0, d1, d2) -> (d2, d0)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @turned_rows
// CHECK-NOT: norm.thin_product
// CHECK: norm.product
// CHECK-NOT: norm.thin_product
// CHECK: return
func.func @turned_rows(%a: tensor<64x4xf32>, %b: tensor<32x64xf32>, %c: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x4xf32>, tensor<32x64xf32>) outs(%c : tensor<4x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// -----

// So are those of any number, and those along two sums whose order differs.
#a = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#b = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
#c = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @other_order
// CHECK-NOT: norm.thin_product
// CHECK: norm.product
// CHECK-NOT: norm.thin_product
// CHECK: return
func.func @other_order(%a: tensor<?x4x16xf32>, %b: tensor<32x16x4xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<?x4x16xf32>, tensor<32x16x4xf32>) outs(%c : tensor<?x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

// A matrix times a vector, of batches that are neighbors in memory, has neither.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#c = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func @batches
// CHECK-NOT: norm.thin_product
// CHECK: return
func.func @batches(%a: tensor<2x64xf32>, %b: tensor<32x64x2xf32>, %c: tensor<32x2xf32>) -> tensor<32x2xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x64xf32>, tensor<32x64x2xf32>) outs(%c : tensor<32x2xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x2xf32>
  return %r : tensor<32x2xf32>
}

// -----

// Pairs of bytes of A become halves of words, which an instruction of AVX2 multiplies and adds.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @few_bytes
// CHECK: ins(%arg0, %arg1 : tensor<4x128xi8>, tensor<128x2048xi8>) {{.*}} {norm.thin_product = 0 : i64}
// PAR-LABEL: func @few_bytes
// PAR: %[[A:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4x128xi8>) outs(%{{.*}} : tensor<4x128xi16>)
// PAR: ins(%[[A]], %{{.*}} : tensor<4x128xi16>, tensor<128x512xi8>) {{.*}} {norm.thin_product = 1 : i64}
func.func @few_bytes(%a: tensor<4x128xi8>, %b: tensor<128x2048xi8>, %c: tensor<4x2048xi32>) -> tensor<4x2048xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x128xi8>, tensor<128x2048xi8>) outs(%c : tensor<4x2048xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extui %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<4x2048xi32>
  return %r : tensor<4x2048xi32>
}

// -----

// One op does not read both a block and a product of few rows: their loops have other columns. Here one B is computed.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @mixed
// CHECK: ins(%arg0, %arg2 : {{.*}} {norm.thin_product
// CHECK: ins(%arg0, %{{.*}} : {{.*}} {norm.product
// CHECK: return
func.func @mixed(%a: tensor<4x128xf32>, %w: tensor<128x64xf32>, %b: tensor<128x64xf32>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<128x64xf32>) outs(%e : tensor<128x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %v = math.exp %x : f32
    linalg.yield %v : f32
  } -> tensor<128x64xf32>
  %e1 = tensor.empty() : tensor<4x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x64xf32>) -> tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %n : tensor<4x128xf32>, tensor<128x64xf32>) outs(%z : tensor<4x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x64xf32>
  %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x128xf32>, tensor<128x64xf32>) outs(%z : tensor<4x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x64xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%r, %q : tensor<4x64xf32>, tensor<4x64xf32>) outs(%c : tensor<4x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %v = arith.mulf %x, %y : f32
    linalg.yield %v : f32
  } -> tensor<4x64xf32>
  return %g : tensor<4x64xf32>
}

// -----

// The sum of a vector's products is wide, too, and may be read by what has no loops.
// CHECK-LABEL: func @dot
// CHECK: tensor<f32>
// CHECK: arith.truncf
func.func @dot(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %c: tensor<bf16>) -> tensor<bf16> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a, %b : tensor<64xbf16>, tensor<64xbf16>) outs(%c : tensor<bf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %m = arith.mulf %x, %y : bf16
    %t = arith.addf %s, %m : bf16
    linalg.yield %t : bf16
  } -> tensor<bf16>
  %n = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%r : tensor<bf16>) outs(%c : tensor<bf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %v = arith.negf %x : bf16
    linalg.yield %v : bf16
  } -> tensor<bf16>
  return %n : tensor<bf16>
}

// RUN: norm-opt %s --norm-tile-rows=scheduled --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// 4096 f32: 256 threads, 4 elements an access, the row in one vector.
// CHECK-LABEL: func.func @row_sum
// CHECK: {norm.loop = #norm.loop<rows, <threads = 256, vector = 4, lanes = 4096, registers = 48>>}
func.func @row_sum(%x: tensor<64x4096xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x4096xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// bf16 beside f32: 16 bytes of the narrower. 625 such vectors: ten warps with two
// a thread leave 15 idle.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @widen
// CHECK: {norm.loop = #norm.loop<rows, <threads = 320, vector = 8, lanes = 5120, registers = 40>>}
func.func @widen(%x: tensor<4x5000xbf16>, %init: tensor<4x5000xf32>) -> tensor<4x5000xf32> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5000xbf16>) outs(%init : tensor<4x5000xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %c = arith.extf %a : bf16 to f32
    linalg.yield %c : f32
  } -> tensor<4x5000xf32>
  return %s : tensor<4x5000xf32>
}

// -----

// Rows beyond 24576 elements are done in strips, here of 16384. Strips of odd
// rows are not aligned: one element an access.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @odd_and_long
// CHECK: {norm.loop = #norm.loop<rows, <threads = 1024, vector = 1, lanes = 16384, registers = 48>>}
func.func @odd_and_long(%x: tensor<4x50001xf32>, %init: tensor<4x50001xf32>) -> tensor<4x50001xf32> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x50001xf32>) outs(%init : tensor<4x50001xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<4x50001xf32>
  return %s : tensor<4x50001xf32>
}

// -----

// Eight threads make a line of 128 bytes: four rows a warp.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @small
// CHECK: {norm.loop = #norm.loop<rows, <threads = 8, vector = 8, lanes = {{[0-9]+}}, registers = 32>>}
func.func @small(%x: tensor<100x64xbf16>, %init: tensor<100x64xbf16>) -> tensor<100x64xbf16> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<100x64xbf16>) outs(%init : tensor<100x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.negf %a : bf16
    linalg.yield %c : bf16
  } -> tensor<100x64xbf16>
  return %s : tensor<100x64xbf16>
}

// -----

// 896 vectors are fourteen warps with two each.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @exact
// CHECK: {norm.loop = #norm.loop<rows, <threads = 448, vector = 8, lanes = 7168, registers = 40>>}
func.func @exact(%x: tensor<4x7168xbf16>, %init: tensor<4x7168xbf16>) -> tensor<4x7168xbf16> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x7168xbf16>) outs(%init : tensor<4x7168xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.negf %a : bf16
    linalg.yield %c : bf16
  } -> tensor<4x7168xbf16>
  return %s : tensor<4x7168xbf16>
}

// -----

// Odd rows begin up to 7 elements past an aligned address: 513 vectors, nine
// warps with two each.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @shifted
// CHECK: {norm.loop = #norm.loop<rows, <threads = 288, vector = 8, lanes = 4608, registers = 64, shifted = true>>}
func.func @shifted(%x: tensor<4x4095xbf16>, %init: tensor<4x4095xbf16>) -> tensor<4x4095xbf16> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4095xbf16>) outs(%init : tensor<4x4095xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.negf %a : bf16
    linalg.yield %c : bf16
  } -> tensor<4x4095xbf16>
  return %s : tensor<4x4095xbf16>
}

// -----

// Odd rows of f32 have accesses of 8 bytes.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @shifted_wide
// CHECK: {norm.loop = #norm.loop<rows, <threads = 256, vector = 2, lanes = 4096, registers = 72, shifted = true>>}
func.func @shifted_wide(%x: tensor<4x4095xf32>, %init: tensor<4x4095xf32>) -> tensor<4x4095xf32> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4095xf32>) outs(%init : tensor<4x4095xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<4x4095xf32>
  return %s : tensor<4x4095xf32>
}

// -----

// Bytes are accessed 8 at a time: 16 bytes of what is rounded to them.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @bytes
// CHECK: {norm.loop = #norm.loop<rows, <threads = 256, vector = 8, lanes = 4096, registers = 40>>}
func.func @bytes(%x: tensor<4x4096xbf16>, %init: tensor<4x4096xi8>) -> tensor<4x4096xi8> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4096xbf16>) outs(%init : tensor<4x4096xi8>) {
  ^bb0(%a: bf16, %b: i8):
    %c = arith.fptosi %a : bf16 to i8
    linalg.yield %c : i8
  } -> tensor<4x4096xi8>
  return %s : tensor<4x4096xi8>
}

// -----

// The distance of rows decides, not the extent of what is used of them.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @pitch
// CHECK: {norm.loop = #norm.loop<rows, <threads = 64, vector = 8, lanes = 1024, registers = 40>>}
func.func @pitch(%x: tensor<4x4096xbf16>, %init: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = tensor.extract_slice %x[0, 0] [4, 999] [1, 1] : tensor<4x4096xbf16> to tensor<4x999xbf16>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<4x999xbf16>) outs(%init : tensor<4xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.maximumf %a, %b : bf16
    linalg.yield %c : bf16
  } -> tensor<4xbf16>
  return %s : tensor<4xbf16>
}

// -----

// Too short for an aligned middle: as many elements an access as divide the row.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @short_and_odd
// CHECK: {norm.loop = #norm.loop<rows, <threads = 16, vector = 2, lanes = {{[0-9]+}}, registers = 32>>}
func.func @short_and_odd(%x: tensor<4x30xf16>, %init: tensor<4x30xf16>) -> tensor<4x30xf16> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x30xf16>) outs(%init : tensor<4x30xf16>) {
  ^bb0(%a: f16, %b: f16):
    %c = arith.negf %a : f16
    linalg.yield %c : f16
  } -> tensor<4x30xf16>
  return %s : tensor<4x30xf16>
}

// -----

// In strips, the row of exponentials is computed by both of its users.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @recompute
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.divf
// CHECK-NOT: linalg.generic
// CHECK: #norm.loop<rows, <threads = 256
func.func @recompute(%x: tensor<4x?xf32>, %init: tensor<4x?xf32>, %n: index) -> tensor<4x?xf32> {
  %t = tensor.empty(%n) : tensor<4x?xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x?xf32>) outs(%t : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<4x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<4x?xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<4x?xf32>, tensor<4xf32>) outs(%init : tensor<4x?xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %c = arith.divf %a, %m : f32
    linalg.yield %c : f32
  } -> tensor<4x?xf32>
  return %q : tensor<4x?xf32>
}

// -----

// A sum that its own result enters twice gets no loop: outside of one nothing is
// vectorized, and parallel dimensions lead.
#t = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
// CHECK: #[[T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @column_sum
// CHECK: linalg.generic {indexing_maps = [#[[T]], {{.*}}], iterator_types = ["parallel", "reduction"]} ins
func.func @column_sum(%x: tensor<8x6xf32>, %init: tensor<6xf32>) -> tensor<6xf32> {
  %s = linalg.generic {indexing_maps = [#t, #c], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x6xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %b, %b : f32
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<6xf32>
  return %s : tensor<6xf32>
}

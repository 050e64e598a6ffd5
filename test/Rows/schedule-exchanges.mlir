// A row's second reduction waits for the first: five warps wait longer than one takes for more
// elements, if these are of 16 bits. A row of one reduction keeps five warps, and one of wider
// elements its ten.

// RUN: norm-opt %s --norm-tile-rows=scheduled --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @two_reductions
// CHECK: {norm.loop = #norm.loop<rows, <threads = 32, vector = 8, lanes = 1280
func.func @two_reductions(%x: tensor<64x1152xbf16>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1152xbf16>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.addf %b, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %s : tensor<64x1152xbf16>, tensor<64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: bf16, %m: f32, %b: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.subf %c, %m : f32
    %e = arith.addf %b, %d : f32
    linalg.yield %e : f32
  } -> tensor<64xf32>
  return %v : tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @one_reduction
// CHECK: {norm.loop = #norm.loop<rows, <threads = 160, vector = 8, lanes = 1280
func.func @one_reduction(%x: tensor<64x1152xbf16>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1152xbf16>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.addf %b, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @wide
// CHECK: {norm.loop = #norm.loop<rows, <threads = 320, vector = 8, lanes = 5120
func.func @wide(%x: tensor<64x5000xf32>, %q: tensor<64x5000xi8>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x5000xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %b, %a : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %v = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %q, %s : tensor<64x5000xf32>, tensor<64x5000xi8>, tensor<64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %i: i8, %m: f32, %b: f32):
    %c = arith.sitofp %i : i8 to f32
    %d = arith.mulf %a, %c : f32
    %e = arith.subf %d, %m : f32
    %f = arith.addf %b, %e : f32
    linalg.yield %f : f32
  } -> tensor<64xf32>
  return %v : tensor<64xf32>
}

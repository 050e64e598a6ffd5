// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-merge-row-sums))' --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
// What is written row by row and both sums become one op. The sums come first;
// what the elementwise op reads of a row is moved before them.
// CHECK-LABEL: func @gradients
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[ALL:.*]]:3 = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK-SAME: outs(%{{.*}} : tensor<64xf32>, tensor<64xf32>, tensor<?x64xf32>)
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return %[[ALL]]#2, %[[ALL]]#0, %[[ALL]]#1
func.func @gradients(%x: tensor<?x64xf32>, %dy: tensor<?x64xf32>, %o: tensor<?x64xf32>, %z: tensor<64xf32>, %e: tensor<?xf32>) -> (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %dw = linalg.generic {indexing_maps = [#id, #id, #col], iterator_types = ["reduction", "parallel"]} ins(%x, %dy : tensor<?x64xf32>, tensor<?x64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %db = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%dy : tensor<?x64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%b: f32, %s: f32):
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %dx = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%dy, %r : tensor<?x64xf32>, tensor<?xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%b: f32, %c: f32, %u: f32):
    %p = arith.mulf %b, %c : f32
    linalg.yield %p : f32
  } -> tensor<?x64xf32>
  return %dx, %dw, %db : tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// A sum of what is written takes it from the same turn.
// CHECK-LABEL: func @of_result
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<8x64xbf16>) outs(%arg1, %arg2 :
// CHECK: %[[Y:.*]] = arith.negf
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[Y]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %{{.*}}, %[[W]]
// CHECK-NEXT: linalg.yield %[[Y]], %[[S]]
// CHECK-NOT: linalg.generic
func.func @of_result(%x: tensor<8x64xbf16>, %o: tensor<8x64xbf16>, %z: tensor<64xf32>) -> (tensor<8x64xbf16>, tensor<64xf32>) {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xbf16>) outs(%o : tensor<8x64xbf16>) {
  ^bb0(%a: bf16, %u: bf16):
    %n = arith.negf %a : bf16
    linalg.yield %n : bf16
  } -> tensor<8x64xbf16>
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<8x64xbf16>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: bf16, %t: f32):
    %w = arith.extf %a : bf16 to f32
    %n = arith.addf %t, %w : f32
    linalg.yield %n : f32
  } -> tensor<64xf32>
  return %y, %s : tensor<8x64xbf16>, tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// A sum is whole after the last row: what reads it has a loop of its own.
// CHECK-LABEL: func @of_sum
// CHECK-COUNT-2: linalg.generic
func.func @of_sum(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>, %z: tensor<64xf32>) -> tensor<8x64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.addf %t, %a : f32
    linalg.yield %n : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x64xf32>, tensor<64xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: f32, %t: f32, %u: f32):
    %n = arith.divf %a, %t : f32
    linalg.yield %n : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#col = affine_map<(d0, d1) -> (d1)>
// Nor is a sum merged that reads other elements of the result, by its map
// or in its body.
// CHECK-LABEL: func @elsewhere
// CHECK-COUNT-3: linalg.generic
func.func @elsewhere(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>, %z: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %u: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #swap, #col], iterator_types = ["reduction", "parallel"]} ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %t, %p : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#swap, #col], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %i = linalg.index 1 : index
    %b = tensor.extract %y[%i, %c0] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %t, %p : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  return %y, %s, %q : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
// What another op of the rows computes with is computed in that op's loop.
// CHECK-LABEL: func @not_an_end
// CHECK-COUNT-3: linalg.generic
func.func @not_an_end(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>, %z: tensor<64xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<64xf32>) {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: f32, %u: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<8x64xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.addf %t, %a : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.addf %t, %a : f32
    linalg.yield %n : f32
  } -> tensor<64xf32>
  return %r, %s : tensor<8xf32>, tensor<64xf32>
}

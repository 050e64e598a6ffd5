// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-recompute-producers))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Both readers add; no row of sums is left.
// CHECK-LABEL: func @sum
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 :
// CHECK: %[[H:.*]] = arith.addf
// CHECK: arith.addf %[[H]],
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1, %[[S]] :
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]] :
func.func @sum(%x: tensor<8x64xf32>, %r: tensor<8x64xf32>, %zero: tensor<8xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x64xf32>, tensor<8x64xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x64xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// A function is not cheap, and 16 bits round.
// CHECK-LABEL: func @costly
// CHECK-COUNT-3: linalg.generic
func.func @costly(%x: tensor<8x64xf32>, %zero: tensor<8xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x64xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// It is a result as well: it is computed anyway.
// CHECK-LABEL: func @returned
// CHECK-COUNT-3: linalg.generic
func.func @returned(%x: tensor<8x64xf32>, %zero: tensor<8xf32>, %i: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x64xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  return %h, %y : tensor<8x64xf32>, tensor<8x64xf32>
}

// The root is one value a row: each loop over the row has it once.
// CHECK-LABEL: func @scaled
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 :
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: arith.subf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @scaled(%x: tensor<8x512xf32>, %r: tensor<8xf32>, %zero: tensor<8xf32>, %i: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %one = arith.constant 1.0 : f32
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x512xf32>, tensor<8xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %root = math.sqrt %b : f32
    %inverse = arith.divf %one, %root : f32
    %v = arith.mulf %a, %inverse : f32
    linalg.yield %v : f32
  } -> tensor<8x512xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x512xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x512xf32>, tensor<8xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x512xf32>
  return %y : tensor<8x512xf32>
}

// Of a short row the root is most of the work.
// CHECK-LABEL: func @scaled_short
// CHECK-COUNT-3: linalg.generic
func.func @scaled_short(%x: tensor<8x256xf32>, %r: tensor<8xf32>, %zero: tensor<8xf32>, %i: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x256xf32>, tensor<8xf32>) outs(%i : tensor<8x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %root = math.sqrt %b : f32
    %v = arith.mulf %a, %root : f32
    linalg.yield %v : f32
  } -> tensor<8x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x256xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x256xf32>, tensor<8xf32>) outs(%i : tensor<8x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x256xf32>
  return %y : tensor<8x256xf32>
}

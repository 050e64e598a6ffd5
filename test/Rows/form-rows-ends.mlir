// Ends of the same rows become one op.
// RUN: norm-opt %s --pass-pipeline='builtin.module(linalg-generalize-named-ops,func.func(norm-form-rows))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(linalg-generalize-named-ops,func.func(norm-form-rows))' --split-input-file '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
!rows = tensor<8x64xf32>
!row = tensor<64xf32>
// Three ends of the rows of %n become one op; each keeps its own destination, and
// what they read is read once.
// CHECK-LABEL: func @three
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[Y:.*]]:3 = linalg.generic {{.*}} ins(%arg0, %arg1 : {{.*}}) outs(%arg2, %[[E]], %arg2 : {{.*}})
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.negf
// CHECK: linalg.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2
func.func @three(%n: !rows, %v: !row, %o: !rows) -> (!rows, !rows, !rows) {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #col, #id] ins(%n, %v : !rows, !row) outs(%o : !rows) -> !rows
  %e = tensor.empty() : !rows
  %1 = linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [#id, #col, #id] ins(%n, %v : !rows, !row) outs(%e : !rows) -> !rows
  %2 = linalg.negf ins(%n : !rows) outs(%o : !rows) -> !rows
  return %0, %1, %2 : !rows, !rows, !rows
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
!m = tensor<8x8xf32>
!v = tensor<8xf32>
// The first is read by a sum of rows, the second reads the first, the third reads
// in another order, the fourth a row alone.
// CHECK-LABEL: func @apart
// CHECK-COUNT-5: = linalg.generic
// CHECK-NOT: linalg.generic
// WHY: remark: [Missed] SiblingsDiffer | Category:norm-form-rows | Remark="not one loop with another reader of its input: other elements of it"
func.func @apart(%n: !m, %r: !v, %o: !m) -> (!v, !m, !m, !m) {
  %0 = linalg.exp ins(%n : !m) outs(%o : !m) -> !m
  %1 = linalg.reduce {arith.addf} ins(%0 : !m) outs(%r : !v) dimensions = [1]
  %2 = linalg.sub ins(%n, %0 : !m, !m) outs(%o : !m) -> !m
  %3 = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]} ins(%n : !m) outs(%o : !m) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> !m
  %4 = linalg.broadcast ins(%r : !v) outs(%o : !m) dimensions = [1]
  return %1, %2, %3, %4 : !v, !m, !m, !m
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
!m = tensor<8x8xf32>
!wide = tensor<8x16xf32>
// The body of the third reads what the first is needed for.
// CHECK-LABEL: func @captured
// CHECK-COUNT-3: = linalg.generic
// CHECK-NOT: linalg.generic
// WHY: remark: [Missed] SiblingNeedsLater | Category:norm-form-rows | Remark="not one loop with another reader of its input: it needs a later value"
func.func @captured(%x: !m, %o: !m, %w: !wide) -> (!wide, !m) {
  %0 = linalg.exp ins(%x : !m) outs(%o : !m) -> !m
  %slice = tensor.insert_slice %0 into %w[0, 4] [8, 8] [1, 1] : !m into !wide
  %1 = linalg.exp ins(%slice : !wide) outs(%w : !wide) -> !wide
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : !m) outs(%o : !m) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %e = tensor.extract %1[%j, %i] : !wide
    %d = arith.addf %a, %e : f32
    linalg.yield %d : f32
  } -> !m
  return %1, %2 : !wide, !m
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
!rows = tensor<?x64xf32>
!row = tensor<64xf32>
// What is written row by row and both sums over rows become one op. The sums come
// first; what the elementwise op reads of a row is moved before them.
// CHECK-LABEL: func @gradients
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[ALL:.*]]:3 = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK-SAME: ins(%arg0, %arg1, %[[R]] :
// CHECK-SAME: outs(%{{.*}} : tensor<64xf32>, tensor<64xf32>, tensor<?x64xf32>)
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return %[[ALL]]#2, %[[ALL]]#0, %[[ALL]]#1
func.func @gradients(%x: !rows, %dy: !rows, %o: !rows, %z: !row, %e: tensor<?xf32>) -> (!rows, !row, !row) {
  %dw = linalg.generic {indexing_maps = [#id, #id, #col], iterator_types = ["reduction", "parallel"]} ins(%x, %dy : !rows, !rows) outs(%z : !row) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> !row
  %db = linalg.reduce {arith.addf} ins(%dy : !rows) outs(%z : !row) dimensions = [0]
  %r = linalg.reduce {arith.addf} ins(%x : !rows) outs(%e : tensor<?xf32>) dimensions = [1]
  %dx = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%dy, %r : !rows, tensor<?xf32>) outs(%o : !rows) -> !rows
  return %dx, %dw, %db : !rows, !row, !row
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
!rows = tensor<8x64xbf16>
!row = tensor<64xf32>
// A sum of what is written takes it from the same iteration.
// CHECK-LABEL: func @of_result
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<8x64xbf16>) outs(%arg1, %arg2 :
// CHECK: %[[Y:.*]] = arith.negf
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[Y]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %{{.*}}, %[[W]]
// CHECK-NEXT: linalg.yield %[[Y]], %[[S]]
// CHECK-NOT: linalg.generic
func.func @of_result(%x: !rows, %o: !rows, %z: !row) -> (!rows, !row) {
  %y = linalg.negf ins(%x : !rows) outs(%o : !rows) -> !rows
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%y : !rows) outs(%z : !row) {
  ^bb0(%a: bf16, %t: f32):
    %w = arith.extf %a : bf16 to f32
    %n = arith.addf %t, %w : f32
    linalg.yield %n : f32
  } -> !row
  return %y, %s : !rows, !row
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
!rows = tensor<8x64xf32>
!row = tensor<64xf32>
// A sum is whole after the last row: what reads it has a loop of its own.
// CHECK-LABEL: func @of_sum
// CHECK-COUNT-2: linalg.generic
func.func @of_sum(%x: !rows, %o: !rows, %z: !row) -> !rows {
  %s = linalg.reduce {arith.addf} ins(%x : !rows) outs(%z : !row) dimensions = [0]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#id, #col, #id] ins(%x, %s : !rows, !row) outs(%o : !rows) -> !rows
  return %y : !rows
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#col = affine_map<(d0, d1) -> (d1)>
!m = tensor<8x8xf32>
!v = tensor<8xf32>
// Nor is a sum merged that reads other elements of the result, by its map
// or in its body.
// CHECK-LABEL: func @elsewhere
// CHECK-COUNT-3: linalg.generic
func.func @elsewhere(%x: !m, %o: !m, %z: !v) -> (!m, !v, !v) {
  %c0 = arith.constant 0 : index
  %y = linalg.exp ins(%x : !m) outs(%o : !m) -> !m
  %s = linalg.generic {indexing_maps = [#id, #swap, #col], iterator_types = ["reduction", "parallel"]} ins(%x, %y : !m, !m) outs(%z : !v) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %t, %p : f32
    linalg.yield %n : f32
  } -> !v
  %q = linalg.generic {indexing_maps = [#swap, #col], iterator_types = ["reduction", "parallel"]} ins(%x : !m) outs(%z : !v) {
  ^bb0(%a: f32, %t: f32):
    %i = linalg.index 1 : index
    %b = tensor.extract %y[%i, %c0] : !m
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %t, %p : f32
    linalg.yield %n : f32
  } -> !v
  return %y, %s, %q : !m, !v, !v
}

// -----

!rows = tensor<8x64xf32>
// What another op of the rows computes with is computed in that op's loop.
// CHECK-LABEL: func @not_an_end
// CHECK-COUNT-3: linalg.generic
func.func @not_an_end(%x: !rows, %o: !rows, %z: tensor<64xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<64xf32>) {
  %y = linalg.exp ins(%x : !rows) outs(%o : !rows) -> !rows
  %r = linalg.reduce {arith.addf} ins(%y : !rows) outs(%e : tensor<8xf32>) dimensions = [1]
  %s = linalg.reduce {arith.addf} ins(%x : !rows) outs(%z : tensor<64xf32>) dimensions = [0]
  return %r, %s : tensor<8xf32>, tensor<64xf32>
}

// -----

!rows = tensor<8x64xf32>
// norm-split-sums has said how this function adds.
// CHECK-LABEL: func @parts
// CHECK-COUNT-2: linalg.generic
func.func @parts(%x: !rows, %o: !rows, %z: tensor<64xf32>) -> (!rows, tensor<64xf32>) attributes {norm.sum_parts = 2 : i64} {
  %y = linalg.exp ins(%x : !rows) outs(%o : !rows) -> !rows
  %s = linalg.reduce {arith.addf} ins(%x : !rows) outs(%z : tensor<64xf32>) dimensions = [0]
  return %y, %s : !rows, tensor<64xf32>
}

// Cheap rows are computed again by each of their readers.
// RUN: norm-opt %s --pass-pipeline='builtin.module(linalg-generalize-named-ops,func.func(norm-form-rows))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!m = tensor<8x64xf32>
!v = tensor<8xf32>
!long = tensor<8x512xf32>
!short = tensor<8x256xf32>

// Both readers add; no row of sums is left.
// CHECK-LABEL: func @sum
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 :
// CHECK: %[[H:.*]] = arith.addf
// CHECK: arith.addf %{{.*}}, %[[H]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1, %[[S]] :
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]] :
func.func @sum(%x: !m, %r: !m, %zero: !v, %i: !m) -> !m {
  %h = linalg.add ins(%x, %r : !m, !m) outs(%i : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : !v) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, !v) outs(%i : !m) -> !m
  return %y : !m
}

// An end may sum over rows too: here it does nothing else beside y.
// CHECK-LABEL: func @beside_sum
// CHECK: %[[ALL:.*]]:2 = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%arg0, %arg1 :
// CHECK-NOT: linalg.generic
// CHECK: return %[[ALL]]#0, %[[ALL]]#1
func.func @beside_sum(%x: !m, %r: !m, %zero: tensor<64xf32>, %i: !m) -> (!m, tensor<64xf32>) {
  %h = linalg.add ins(%x, %r : !m, !m) outs(%i : !m) -> !m
  %y = linalg.exp ins(%h : !m) outs(%i : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : tensor<64xf32>) dimensions = [0]
  return %y, %s : !m, tensor<64xf32>
}

// A function is not cheap.
// CHECK-LABEL: func @costly
// CHECK-COUNT-3: linalg.generic
func.func @costly(%x: !m, %zero: !v, %i: !m) -> !m {
  %h = linalg.exp ins(%x : !m) outs(%i : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : !v) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, !v) outs(%i : !m) -> !m
  return %y : !m
}

// It is a result as well: it is computed anyway.
// CHECK-LABEL: func @returned
// CHECK-COUNT-3: linalg.generic
func.func @returned(%x: !m, %zero: !v, %i: !m) -> (!m, !m) {
  %h = linalg.mul ins(%x, %x : !m, !m) outs(%i : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : !v) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, !v) outs(%i : !m) -> !m
  return %h, %y : !m, !m
}

// Two layers read the sum of a residual stream.
// CHECK-LABEL: func @stream
// CHECK-COUNT-5: linalg.generic
func.func @stream(%x: !m, %r: !m, %zero: !v, %i: !m) -> !m {
  %h = linalg.add ins(%x, %r : !m, !m) outs(%i : !m) -> !m
  %s = linalg.reduce {arith.addf} ins(%h : !m) outs(%zero : !v) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %s : !m, !v) outs(%i : !m) -> !m
  %m = linalg.reduce {arith.maximumf} ins(%y : !m) outs(%zero : !v) dimensions = [1]
  %z = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id] ins(%h, %m : !m, !v) outs(%i : !m) -> !m
  return %z : !m
}

// The root is one value per row: each loop over the row has it once.
// CHECK-LABEL: func @scaled
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 :
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: arith.subf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @scaled(%x: !long, %r: !v, %zero: !v, %i: !long) -> !long {
  %one = arith.constant 1.0 : f32
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : !long, !v) outs(%i : !long) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %root = math.sqrt %b : f32
    %inverse = arith.divf %one, %root : f32
    %v = arith.mulf %a, %inverse : f32
    linalg.yield %v : f32
  } -> !long
  %s = linalg.reduce {arith.maximumf} ins(%h : !long) outs(%zero : !v) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#id, #row, #id] ins(%h, %s : !long, !v) outs(%i : !long) -> !long
  return %y : !long
}

// Of a short row the root is most of the work: an op of its own, of which all
// elements are read again.
// CHECK-LABEL: func @scaled_short
// CHECK-COUNT-4: linalg.generic
func.func @scaled_short(%x: !short, %r: !v, %zero: !v, %i: !short) -> !short {
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : !short, !v) outs(%i : !short) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %root = math.sqrt %b : f32
    %v = arith.mulf %a, %root : f32
    linalg.yield %v : f32
  } -> !short
  %s = linalg.reduce {arith.maximumf} ins(%h : !short) outs(%zero : !v) dimensions = [1]
  %y = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#id, #row, #id] ins(%h, %s : !short, !v) outs(%i : !short) -> !short
  return %y : !short
}

// Of loops apart each computes what takes no more bytes to compute than to read: a
// cast that widens, but not its input, a sum.
// CHECK-LABEL: func @widened
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%arg0, %arg0 :
// CHECK: arith.addf
// CHECK-COUNT-3: linalg.generic {{.*}} ins(%[[H]] : tensor<8x64xbf16>)
// CHECK-NOT: ins(%[[H]] :
// CHECK: return
func.func @widened(%x: tensor<8x64xbf16>, %b: tensor<8x64xbf16>, %square: tensor<64x64xf32>, %zero: !v, %i: !m) -> (!m, !m, !v) {
  %h = linalg.add ins(%x, %x : tensor<8x64xbf16>, tensor<8x64xbf16>) outs(%b : tensor<8x64xbf16>) -> tensor<8x64xbf16>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<8x64xbf16>) outs(%i : !m) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> !m
  %s = linalg.reduce {arith.addf} ins(%c : !m) outs(%zero : !v) dimensions = [1]
  %y = linalg.exp ins(%c : !m) outs(%i : !m) -> !m
  %m = linalg.matmul ins(%y, %square : !m, tensor<64x64xf32>) outs(%i : !m) -> !m
  %z = linalg.sub ins(%c, %m : !m, !m) outs(%i : !m) -> !m
  return %y, %z, %s : !m, !m, !v
}

// A buffer keeps the sum, and the loop that rounds it writes it, too: it is not
// computed twice.
// CHECK-LABEL: func @written_and_rounded
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
// CHECK: math.exp
func.func @written_and_rounded(%x: tensor<8x64xbf16>, %r: tensor<8x64xbf16>, %b: tensor<8x64xbf16>, %out: memref<8x64xf32>) -> tensor<8x64xbf16> {
  %i = bufferization.to_tensor %out restrict writable : memref<8x64xf32> to !m
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x64xbf16>, tensor<8x64xbf16>) outs(%i : !m) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %u = arith.extf %a : bf16 to f32
    %v = arith.extf %c : bf16 to f32
    %w = arith.addf %u, %v : f32
    linalg.yield %w : f32
  } -> !m
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : !m) outs(%b : tensor<8x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %v = arith.truncf %a : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<8x64xbf16>
  %y = linalg.exp ins(%t : tensor<8x64xbf16>) outs(%b : tensor<8x64xbf16>) -> tensor<8x64xbf16>
  %p = bufferization.materialize_in_destination %h in %i : (!m, !m) -> !m
  bufferization.materialize_in_destination %p in writable %out : (!m, memref<8x64xf32>) -> ()
  return %y : tensor<8x64xbf16>
}

// Where two loops read it, each computes it, to a row of its own: the buffer's
// would be copied.
// CHECK-LABEL: func @written_and_widened
// CHECK: %[[I:.*]] = bufferization.to_tensor
// CHECK: outs(%[[I]] :
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x64xf32>
// CHECK: ins(%arg0 : tensor<8x64xbf16>) outs(%[[E]] :
// CHECK: %[[F:.*]] = tensor.empty() : tensor<8x64xf32>
// CHECK: ins(%arg0 : tensor<8x64xbf16>) outs(%[[F]] :
// CHECK-NOT: outs(%[[I]] :
// CHECK: return
func.func @written_and_widened(%x: tensor<8x64xbf16>, %square: tensor<64x64xf32>, %k: !m, %out: memref<8x64xf32>) -> (!m, !m) {
  %i = bufferization.to_tensor %out restrict writable : memref<8x64xf32> to !m
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xbf16>) outs(%i : !m) {
  ^bb0(%a: bf16, %o: f32):
    %u = arith.extf %a : bf16 to f32
    linalg.yield %u : f32
  } -> !m
  %y = linalg.exp ins(%h : !m) outs(%k : !m) -> !m
  %z = linalg.matmul ins(%h, %square : !m, tensor<64x64xf32>) outs(%k : !m) -> !m
  %p = bufferization.materialize_in_destination %h in %i : (!m, !m) -> !m
  bufferization.materialize_in_destination %p in writable %out : (!m, memref<8x64xf32>) -> ()
  return %y, %z : !m, !m
}

// A branch computes it again for its reader, a loop does not.
// CHECK-LABEL: func @in_a_branch
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%arg0 :
// CHECK: %[[R:.*]] = scf.if
// CHECK:   linalg.generic {{.*}} ins(%arg0 :
// CHECK:   arith.mulf
// CHECK: scf.for
// CHECK:   linalg.generic {{.*}} ins(%[[T]], %
// CHECK: return %[[T]], %[[R]],
func.func @in_a_branch(%x: tensor<?x64xf32>, %i: tensor<64x?xf32>, %c: i1, %n: index) -> (tensor<64x?xf32>, tensor<64x?xf32>, tensor<64x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = linalg.transpose ins(%x : tensor<?x64xf32>) outs(%i : tensor<64x?xf32>) permutation = [1, 0]
  %r = scf.if %c -> tensor<64x?xf32> {
    %y = linalg.mul ins(%t, %t : tensor<64x?xf32>, tensor<64x?xf32>) outs(%i : tensor<64x?xf32>) -> tensor<64x?xf32>
    scf.yield %y : tensor<64x?xf32>
  } else {
    scf.yield %i : tensor<64x?xf32>
  }
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %i) -> tensor<64x?xf32> {
    %y = linalg.add ins(%t, %a : tensor<64x?xf32>, tensor<64x?xf32>) outs(%i : tensor<64x?xf32>) -> tensor<64x?xf32>
    scf.yield %y : tensor<64x?xf32>
  }
  return %t, %r, %s : tensor<64x?xf32>, tensor<64x?xf32>, tensor<64x?xf32>
}

// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows,canonicalize,cse))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows{parallel=true},canonicalize,cse))' --split-input-file | FileCheck %s --check-prefix=PAR

// A softmax: two reductions, two elementwise ops, one loop over the rows.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @softmax
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], 0] [1, 512] [1, 1]
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: tensor.insert_slice {{.*}}[%[[I]], 0] [1, 512] [1, 1]
// CHECK-NOT: scf.for
// CHECK-NOT: linalg.generic
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
// CHECK: return
// PAR-LABEL: func @softmax
// PAR: scf.forall (%{{.*}}) in (8)
// PAR: tensor.parallel_insert_slice
// PAR: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
func.func @softmax(%x: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = tensor.empty() : tensor<8x512xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x512xf32>) outs(%m0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<8x512xf32>, tensor<8xf32>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %c = math.exp %d : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<8x512xf32>, tensor<8xf32>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  return %r : tensor<8x512xf32>
}

// -----

// A residual sum that is returned too comes out of the same loop.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @two_results
// CHECK: %[[L:.*]]:2 = scf.for
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<8x512xf32>, tensor<8x512xf32>
// CHECK-NEXT: } {norm.loop = #norm.loop<rows>, norm.plan
// CHECK-NOT: linalg.generic
// CHECK: return %[[L]]#{{[01]}}, %[[L]]#{{[01]}}
func.func @two_results(%x: tensor<8x512xf32>, %res: tensor<8x512xf32>) -> (tensor<8x512xf32>, tensor<8x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = tensor.empty() : tensor<8x512xf32>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %res : tensor<8x512xf32>, tensor<8x512xf32>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x512xf32>, tensor<8xf32>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  return %h, %r : tensor<8x512xf32>, tensor<8x512xf32>
}

// -----

// A matmul is no row-wise op: it is not computed again in every row.
// CHECK-LABEL: func @matmul
// CHECK: linalg.matmul
// CHECK: scf.for
// CHECK-NOT: linalg.matmul
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @matmul(%a: tensor<8x16xf32>, %b: tensor<16x512xf32>) -> tensor<8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x512xf32>) -> tensor<8x512xf32>
  %m = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x512xf32>) outs(%i : tensor<8x512xf32>) -> tensor<8x512xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<8x512xf32>) outs(%e : tensor<8x512xf32>) {
  ^bb0(%x: f32, %o: f32):
    %c = arith.negf %x : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  return %r : tensor<8x512xf32>
}

// -----

// An op without iterations is its destination; slices of it would not verify.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @zero_extents
// CHECK-SAME: %[[X:.*]]: tensor<2x0xf32>, %[[S:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<0x8xf32>
// CHECK-NEXT: return %[[S]], %[[Y]]
func.func @zero_extents(%x: tensor<2x0xf32>, %s: tensor<2xf32>, %y: tensor<0x8xf32>) -> (tensor<2xf32>, tensor<0x8xf32>) {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x0xf32>) outs(%s : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : tensor<0x8xf32>) {
  ^bb0(%a: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<0x8xf32>
  return %sum, %r : tensor<2xf32>, tensor<0x8xf32>
}

// -----

// Dynamic extents: the loop's bounds ask no fused op for its shape, so that
// nothing is computed twice, and the temporary holds one row.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @dynamic
// CHECK: scf.for {{.*}} -> (tensor<?x?xf32>)
// CHECK: tensor.empty(%{{.*}}) : tensor<1x?xf32>
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK-NOT: scf.for
// CHECK: return
// PAR-LABEL: func @dynamic
// PAR: scf.forall
// PAR: math.exp
// PAR-NOT: {{math.exp|scf.forall \(}}
// PAR: return
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<?x?xf32>) outs(%s0 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A reduction by name: the result has all elements, and nothing is summed.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @nothing_summed
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan
// CHECK-NEXT: linalg.generic {{.*}}["reduction", "parallel"]
// CHECK: return
func.func @nothing_summed(%x: tensor<8x512xf32>) -> tensor<8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = tensor.empty() : tensor<8x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["reduction", "parallel"]} ins(%x, %s : tensor<8x512xf32>, tensor<8xf32>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  return %r : tensor<8x512xf32>
}

// -----

// The rows that an iteration overwrites are read from the tensor that the loop carries;
// the row of another iteration is not.
// CHECK-LABEL: func @own_rows(%arg0
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[X:.*]] = %arg0)
// CHECK-DAG: tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK-DAG: tensor.extract_slice %arg1[%[[I]], 0]
// PAR-LABEL: func @own_rows(%arg0
// PAR: scf.forall (%[[I:.*]]) in (64) shared_outs(%[[X:.*]] = %arg0)
// PAR-NOT: tensor.extract_slice %arg0
// PAR: scf.forall.in_parallel
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @own_rows(%x: tensor<64x512xf32>, %r: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<64x512xf32>, tensor<64x512xf32>) outs(%x : tensor<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x512xf32>
  return %h : tensor<64x512xf32>
}

// -----

// CHECK-LABEL: func @other_rows(%arg0
// CHECK: tensor.extract_slice %arg0[0,
// PAR-LABEL: func @other_rows(%arg0
// PAR: tensor.extract_slice %arg0[0,
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @other_rows(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %h = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %h : tensor<64x64xf32>
}

// -----

// Both versions of a product write to one tensor, whose rows the next loop counts.
// CHECK-LABEL: func.func @after_versions
// CHECK-SAME: %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<?x8xf32>, %[[DEST:.*]]: tensor<?x8xf32>, %{{.*}}: i1
// CHECK: scf.if
// CHECK: %[[ROWS:.*]] = tensor.dim %[[DEST]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]] step
func.func @after_versions(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %dest: tensor<?x8xf32>, %few: i1) -> tensor<?x8xf32> {
  %product = scf.if %few -> (tensor<?x8xf32>) {
    %copy = linalg.copy ins(%x : tensor<?x8xf32>) outs(%dest : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %copy : tensor<?x8xf32>
  } else {
    %copy = linalg.copy ins(%y : tensor<?x8xf32>) outs(%dest : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %copy : tensor<?x8xf32>
  }
  %twice = linalg.add ins(%product, %product : tensor<?x8xf32>, tensor<?x8xf32>) outs(%product : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %twice : tensor<?x8xf32>
}

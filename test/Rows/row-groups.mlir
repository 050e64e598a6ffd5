// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows,canonicalize,cse))' --split-input-file | FileCheck %s

// The sum of a residual stream is computed in the loop of the norm that follows
// it, and yielded for the next sum, which reads it: no path is computed twice.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @residual_stream
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: math.rsqrt
// CHECK: scf.yield
// CHECK: linalg.matmul ins(%[[LOOP]]#{{[01]}}
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[LOOP]]#{{[01]}}
// CHECK: arith.addf
// CHECK-NOT: math.rsqrt
// CHECK-NOT: scf.for
// CHECK: return
func.func @residual_stream(%x: tensor<8x512xf32>, %r: tensor<8x512xf32>, %w: tensor<512x512xf32>) -> tensor<8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = tensor.empty() : tensor<8x512xf32>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x512xf32>, tensor<8x512xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %c = arith.addf %q, %o : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x512xf32>, tensor<8xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = math.rsqrt %b : f32
    %c = arith.mulf %a, %q : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  %m = linalg.matmul ins(%y, %w : tensor<8x512xf32>, tensor<512x512xf32>) outs(%i : tensor<8x512xf32>) -> tensor<8x512xf32>
  %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %m : tensor<8x512xf32>, tensor<8x512xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  return %next : tensor<8x512xf32>
}

// -----

// A user that comes before the group's loop keeps an op out of the group: the sum
// is a loop of its own, and the norm reads it.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @earlier_user
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: math.exp
// CHECK: linalg.matmul ins(%[[SUM]]
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[SUM]]
// CHECK-NOT: math.exp
// CHECK: return
func.func @earlier_user(%x: tensor<8x512xf32>, %w: tensor<512x512xf32>) -> (tensor<8x512xf32>, tensor<8x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = tensor.empty() : tensor<8x512xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x512xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  %m = linalg.matmul ins(%h, %w : tensor<8x512xf32>, tensor<512x512xf32>) outs(%i : tensor<8x512xf32>) -> tensor<8x512xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : tensor<8x512xf32>, tensor<8xf32>) outs(%i : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8x512xf32>
  return %m, %y : tensor<8x512xf32>, tensor<8x512xf32>
}

// -----

// A condition of one value per batch element does not make a row of the whole batch
// element: it is no reduction over what the group works on.
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#token = affine_map<(d0, d1, d2) -> (d0, d1)>
#batch = affine_map<(d0, d1, d2) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @condition
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg0[%{{.*}}, %{{.*}}, 0] [1, 1, 512]
// CHECK: return
func.func @condition(%x: tensor<2x8x512xf32>, %t: tensor<2x16xf32>) -> tensor<2x8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %eb = tensor.empty() : tensor<2xf32>
  %es = tensor.empty() : tensor<2x8xf32>
  %i = tensor.empty() : tensor<2x8x512xf32>
  %b0 = linalg.fill ins(%zero : f32) outs(%eb : tensor<2xf32>) -> tensor<2xf32>
  %c = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<2x16xf32>) outs(%b0 : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<2xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s = linalg.generic {indexing_maps = [#all, #token], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x8x512xf32>) outs(%s0 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<2x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #token, #batch, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s, %c : tensor<2x8x512xf32>, tensor<2x8xf32>, tensor<2xf32>) outs(%i : tensor<2x8x512xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %p, %d : f32
    linalg.yield %v : f32
  } -> tensor<2x8x512xf32>
  return %y : tensor<2x8x512xf32>
}

// -----

// The sum of a row joins what is computed by blocks of it, in one loop over the rows.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#elements = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1)>
#first = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func @blocks_of_rows
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]{{.*}}tensor<1x512xf32>
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]{{.*}}tensor<1x16x32xf32>
// CHECK: math.rsqrt
// CHECK-NOT: scf.for
// CHECK: return
func.func @blocks_of_rows(%x: tensor<8x512xf32>, %y: tensor<8x16x32xf32>) -> tensor<8x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %c = arith.addf %q, %o : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %m = tensor.empty() : tensor<8x16xf32>
  %m0 = linalg.fill ins(%zero : f32) outs(%m : tensor<8x16xf32>) -> tensor<8x16xf32>
  %t = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<8x16x32xf32>) outs(%m0 : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.maximumf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<8x16xf32>
  %i = tensor.empty() : tensor<8x16x32xf32>
  %r = linalg.generic {indexing_maps = [#elements, #first, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %s, %t : tensor<8x16x32xf32>, tensor<8xf32>, tensor<8x16xf32>) outs(%i : tensor<8x16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %q = math.rsqrt %b : f32
    %p = arith.mulf %a, %q : f32
    %c = arith.divf %p, %d : f32
    linalg.yield %c : f32
  } -> tensor<8x16x32xf32>
  return %r : tensor<8x16x32xf32>
}

// -----

// A sum of fewer elements, as of another tensor, stays a loop of its own.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#elements = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1)>
#first = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func @other_rows
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]{{.*}}tensor<1x512xf32>
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]{{.*}}tensor<1x16x32xf32>
// CHECK: return
func.func @other_rows(%x: tensor<8x512xf32>, %y: tensor<8x32x32xf32>) -> tensor<8x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x512xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %c = arith.addf %q, %o : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %m = tensor.empty() : tensor<8x32xf32>
  %m0 = linalg.fill ins(%zero : f32) outs(%m : tensor<8x32xf32>) -> tensor<8x32xf32>
  %t = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<8x32x32xf32>) outs(%m0 : tensor<8x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.maximumf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<8x32xf32>
  %i = tensor.empty() : tensor<8x32x32xf32>
  %r = linalg.generic {indexing_maps = [#elements, #first, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %s, %t : tensor<8x32x32xf32>, tensor<8xf32>, tensor<8x32xf32>) outs(%i : tensor<8x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %q = math.rsqrt %b : f32
    %p = arith.mulf %a, %q : f32
    %c = arith.divf %p, %d : f32
    linalg.yield %c : f32
  } -> tensor<8x32x32xf32>
  return %r : tensor<8x32x32xf32>
}

// -----

// The product of a matrix and a vector joins the rows that use it, as the sum of a row under a
// weight. One that no rows use opens no loop.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @matrix_times_vector
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x1024xf32>, tensor<1024xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-LABEL: func @product_alone
// CHECK-NOT: scf.for
func.func @matrix_times_vector(%x: tensor<512x1024xf32>, %w: tensor<1024xf32>, %z: tensor<512xf32>) -> tensor<512x1024xf32> {
  %p = linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<512x1024xf32>, tensor<1024xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<512xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %p : tensor<512x1024xf32>, tensor<512xf32>) outs(%x : tensor<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<512x1024xf32>
  return %y : tensor<512x1024xf32>
}
func.func @product_alone(%x: tensor<512x1024xf32>, %w: tensor<1024xf32>, %z: tensor<512xf32>) -> tensor<512xf32> {
  %p = linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<512x1024xf32>, tensor<1024xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<512xf32>
  return %p : tensor<512xf32>
}

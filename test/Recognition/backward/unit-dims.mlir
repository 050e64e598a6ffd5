// RUN: norm-opt %s --split-input-file --norm-recognize --canonicalize --cse | FileCheck %s

// linalg-fold-unit-extent-dims adds unit dimensions where it removes others, so that the
// gradients of one norm see x and dy in different shapes.

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#column = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>

// The extent of %x comes from another tensor: the expansion proves that they are equal.
// CHECK-LABEL: func @extent_of_another
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<6x?x3xf32>, tensor<6x?x3xf32>) inv_rms(%{{.*}} : tensor<6x?xf32>) dw(%{{.*}}) dims = [2] weight_dims = [1, 2]
// CHECK-NOT: linalg.generic
func.func @extent_of_another(%dy: tensor<6x?x3xf32>, %x: tensor<6x?x3xf32>, %r: tensor<6x?x1xf32>) -> tensor<?x1x3xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %extent = tensor.dim %r, %c1 : tensor<6x?x1xf32>
  %dy4 = tensor.expand_shape %dy [[0], [1, 2], [3]] output_shape [6, %extent, 1, 3] : tensor<6x?x3xf32> into tensor<6x?x1x3xf32>
  %x4 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [6, %extent, 1, 3] : tensor<6x?x3xf32> into tensor<6x?x1x3xf32>
  %empty = tensor.empty(%extent) : tensor<?x1x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1x3xf32>) -> tensor<?x1x3xf32>
  %dw = linalg.generic {indexing_maps = [#all, #row, #all, #column], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%dy4, %r, %x4 : tensor<6x?x1x3xf32>, tensor<6x?x1xf32>, tensor<6x?x1x3xf32>) outs(%fill : tensor<?x1x3xf32>) {
  ^bb0(%g: f32, %root: f32, %in: f32, %out: f32):
    %z = arith.mulf %root, %in : f32
    %product = arith.mulf %g, %z : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<?x1x3xf32>
  return %dw : tensor<?x1x3xf32>
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#column = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>

// dx and dw read views of their own: one op has both.
// CHECK-LABEL: func @views_of_one
// CHECK-SAME: %[[DY:.*]]: tensor<6x5x7xf32>, %[[X:.*]]: tensor<6x5x7xf32>
// CHECK-DAG: %[[DY4:.*]] = tensor.expand_shape %[[DY]]
// CHECK-DAG: %[[X4:.*]] = tensor.expand_shape %[[X]]
// CHECK: norm.rmsnorm_backward ins(%[[DY4]], %[[X4]] : tensor<6x5x1x7xf32>, tensor<6x5x1x7xf32>) inv_rms(%{{.*}} : tensor<6x5x1xf32>) dx(%{{.*}}) dw(%{{.*}}) dims = [3] weight_dims = [1, 3]
// CHECK-NOT: norm.rmsnorm_backward
func.func @views_of_one(%dy: tensor<6x5x7xf32>, %x: tensor<6x5x7xf32>, %r: tensor<6x5x1xf32>) -> (tensor<6x5x1x7xf32>, tensor<5x1x7xf32>) {
  %n = arith.constant 7.0 : f32
  %zero = arith.constant 0.0 : f32
  %dy4 = tensor.expand_shape %dy [[0], [1, 2], [3]] output_shape [6, 5, 1, 7] : tensor<6x5x7xf32> into tensor<6x5x1x7xf32>
  %x4 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [6, 5, 1, 7] : tensor<6x5x7xf32> into tensor<6x5x1x7xf32>
  %dy5 = tensor.expand_shape %dy [[0], [1, 2], [3]] output_shape [6, 5, 1, 7] : tensor<6x5x7xf32> into tensor<6x5x1x7xf32>
  %x5 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [6, 5, 1, 7] : tensor<6x5x7xf32> into tensor<6x5x1x7xf32>
  %rows = tensor.empty() : tensor<6x5x1xf32>
  %columns = tensor.empty() : tensor<5x1x7xf32>
  %empty = tensor.empty() : tensor<6x5x1x7xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%rows : tensor<6x5x1xf32>) -> tensor<6x5x1xf32>
  %fillw = linalg.fill ins(%zero : f32) outs(%columns : tensor<5x1x7xf32>) -> tensor<5x1x7xf32>
  %dw = linalg.generic {indexing_maps = [#all, #row, #all, #column], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%dy5, %r, %x5 : tensor<6x5x1x7xf32>, tensor<6x5x1xf32>, tensor<6x5x1x7xf32>) outs(%fillw : tensor<5x1x7xf32>) {
  ^bb0(%g: f32, %root: f32, %in: f32, %out: f32):
    %z = arith.mulf %root, %in : f32
    %product = arith.mulf %g, %z : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<5x1x7xf32>
  %sums = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%dy4, %x4 : tensor<6x5x1x7xf32>, tensor<6x5x1x7xf32>) outs(%fill : tensor<6x5x1xf32>) {
  ^bb0(%g: f32, %in: f32, %out: f32):
    %product = arith.mulf %g, %in : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<6x5x1xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dy4, %x4, %r, %sums : tensor<6x5x1x7xf32>, tensor<6x5x1x7xf32>, tensor<6x5x1xf32>, tensor<6x5x1xf32>) outs(%empty : tensor<6x5x1x7xf32>) {
  ^bb0(%g: f32, %in: f32, %root: f32, %sum: f32, %out: f32):
    %direct = arith.mulf %root, %g : f32
    %square = arith.mulf %root, %root : f32
    %cube = arith.mulf %square, %root : f32
    %scaled = arith.mulf %in, %sum : f32
    %product = arith.mulf %cube, %scaled : f32
    %mean = arith.divf %product, %n : f32
    %difference = arith.subf %direct, %mean : f32
    linalg.yield %difference : f32
  } -> tensor<6x5x1x7xf32>
  return %dx, %dw : tensor<6x5x1x7xf32>, tensor<5x1x7xf32>
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#three = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
#unit = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// Only the product dy * w has the unit dimension; dy is given one, and dw reads x and dy
// without it.
// CHECK-LABEL: func @added_to_dy
// CHECK-SAME: %[[DY:.*]]: tensor<?x5x7xf32>, %[[X:.*]]: tensor<?x5x7xf32>
// CHECK-DAG: %[[DY4:.*]] = tensor.expand_shape %[[DY]] {{\[\[}}0], [1, 2], [3]]
// CHECK-DAG: %[[X4:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2], [3]]
// CHECK: norm.rmsnorm_backward ins(%[[DY4]], %[[X4]] : tensor<?x5x1x7xf32>, tensor<?x5x1x7xf32>) weight(%{{.*}} : tensor<7xf32>) inv_rms(%{{.*}} : tensor<?x5x1xf32>) dx(%{{.*}}) dw(%{{.*}}) dims = [3] -> tensor<?x5x1x7xf32>, tensor<7xf32>
// CHECK-NOT: norm.rmsnorm_backward
func.func @added_to_dy(%dy: tensor<?x5x7xf32>, %x: tensor<?x5x7xf32>, %r: tensor<?x5x1xf32>, %w: tensor<7xf32>) -> (tensor<?x5x1x7xf32>, tensor<7xf32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 7.0 : f32
  %zero = arith.constant 0.0 : f32
  %extent = tensor.dim %x, %c0 : tensor<?x5x7xf32>
  %three = tensor.empty(%extent) : tensor<?x5x7xf32>
  %g = linalg.generic {indexing_maps = [#three, #last, #three], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dy, %w : tensor<?x5x7xf32>, tensor<7xf32>) outs(%three : tensor<?x5x7xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %product = arith.mulf %in, %weight : f32
    linalg.yield %product : f32
  } -> tensor<?x5x7xf32>
  %g4 = tensor.expand_shape %g [[0], [1, 2], [3]] output_shape [%extent, 5, 1, 7] : tensor<?x5x7xf32> into tensor<?x5x1x7xf32>
  %x4 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [%extent, 5, 1, 7] : tensor<?x5x7xf32> into tensor<?x5x1x7xf32>
  %rows = tensor.empty(%extent) : tensor<?x5x1xf32>
  %empty = tensor.empty(%extent) : tensor<?x5x1x7xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
  %sums = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%g4, %x4 : tensor<?x5x1x7xf32>, tensor<?x5x1x7xf32>) outs(%fill : tensor<?x5x1xf32>) {
  ^bb0(%in_g: f32, %in: f32, %out: f32):
    %product = arith.mulf %in_g, %in : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<?x5x1xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%g4, %x4, %r, %sums : tensor<?x5x1x7xf32>, tensor<?x5x1x7xf32>, tensor<?x5x1xf32>, tensor<?x5x1xf32>) outs(%empty : tensor<?x5x1x7xf32>) {
  ^bb0(%in_g: f32, %in: f32, %root: f32, %sum: f32, %out: f32):
    %direct = arith.mulf %root, %in_g : f32
    %square = arith.mulf %root, %root : f32
    %cube = arith.mulf %square, %root : f32
    %scaled = arith.mulf %in, %sum : f32
    %product = arith.mulf %cube, %scaled : f32
    %mean = arith.divf %product, %n : f32
    %difference = arith.subf %direct, %mean : f32
    linalg.yield %difference : f32
  } -> tensor<?x5x1x7xf32>
  %column = tensor.empty() : tensor<7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%column : tensor<7xf32>) -> tensor<7xf32>
  %dw = linalg.generic {indexing_maps = [#three, #unit, #three, #last], iterator_types = ["reduction", "reduction", "parallel"]} ins(%dy, %r, %x : tensor<?x5x7xf32>, tensor<?x5x1xf32>, tensor<?x5x7xf32>) outs(%zeros : tensor<7xf32>) {
  ^bb0(%in_dy: f32, %root: f32, %in: f32, %out: f32):
    %z = arith.mulf %root, %in : f32
    %product = arith.mulf %in_dy, %z : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<7xf32>
  return %dx, %dw : tensor<?x5x1x7xf32>, tensor<7xf32>
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#s = affine_map<(d0, d1, d2) -> (d0, d1)>
#r = affine_map<(d0, d1, d2) -> (d1, 0)>

// A saved r of rows x 1, where the batch of x is 1 x rows.
// CHECK-LABEL: func @root_of_rows
// CHECK: %[[R:.*]] = tensor.collapse_shape %arg2 {{.*}} : tensor<7x1xf32> into tensor<7xf32>
// CHECK: %[[RT:.*]] = tensor.expand_shape %[[R]] {{.*}} : tensor<7xf32> into tensor<1x7xf32>
// CHECK: norm.rmsnorm_backward ins(%arg0, %arg1 {{.*}} inv_rms(%[[RT]] :
func.func @root_of_rows(%dy: tensor<1x7x8xf32>, %x: tensor<1x7x8xf32>, %r: tensor<7x1xf32>) -> tensor<1x7x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.125 : f32
  %e1 = tensor.empty() : tensor<1x7xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x7xf32>) -> tensor<1x7xf32>
  %s = linalg.generic {indexing_maps = [#x, #x, #s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%dy, %x : tensor<1x7x8xf32>, tensor<1x7x8xf32>) outs(%f1 : tensor<1x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x7xf32>
  %e = tensor.empty() : tensor<1x7x8xf32>
  %dx = linalg.generic {indexing_maps = [#x, #x, #r, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dy, %x, %r, %s : tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<7x1xf32>, tensor<1x7xf32>) outs(%e : tensor<1x7x8xf32>) {
  ^bb0(%g: f32, %a: f32, %rr: f32, %ss: f32, %o: f32):
    %rg = arith.mulf %rr, %g : f32
    %r2 = arith.mulf %rr, %rr : f32
    %r3 = arith.mulf %r2, %rr : f32
    %m = arith.mulf %ss, %c : f32
    %k = arith.mulf %r3, %m : f32
    %t = arith.mulf %a, %k : f32
    %d = arith.subf %rg, %t : f32
    linalg.yield %d : f32
  } -> tensor<1x7x8xf32>
  return %dx : tensor<1x7x8xf32>
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#s = affine_map<(d0, d1, d2) -> (d0, d1)>
#r = affine_map<(d0, d1, d2) -> (d1, 0)>

// CHECK-LABEL: func @root_of_open_rows
// CHECK: tensor.collapse_shape %arg2 {{.*}} : tensor<?x1xf32> into tensor<?xf32>
// CHECK: norm.rmsnorm_backward {{.*}} inv_rms(%{{.*}} : tensor<1x?xf32>)
func.func @root_of_open_rows(%dy: tensor<1x?x8xf32>, %x: tensor<1x?x8xf32>, %r: tensor<?x1xf32>) -> tensor<1x?x8xf32> {
  %c1 = arith.constant 1 : index
  %dd = tensor.dim %x, %c1 : tensor<1x?x8xf32>
  %zero = arith.constant 0.0 : f32
  %c = arith.constant 0.125 : f32
  %e1 = tensor.empty(%dd) : tensor<1x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x?xf32>) -> tensor<1x?xf32>
  %s = linalg.generic {indexing_maps = [#x, #x, #s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%dy, %x : tensor<1x?x8xf32>, tensor<1x?x8xf32>) outs(%f1 : tensor<1x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x?xf32>
  %e = tensor.empty(%dd) : tensor<1x?x8xf32>
  %dx = linalg.generic {indexing_maps = [#x, #x, #r, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dy, %x, %r, %s : tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<?x1xf32>, tensor<1x?xf32>) outs(%e : tensor<1x?x8xf32>) {
  ^bb0(%g: f32, %a: f32, %rr: f32, %ss: f32, %o: f32):
    %rg = arith.mulf %rr, %g : f32
    %r2 = arith.mulf %rr, %rr : f32
    %r3 = arith.mulf %r2, %rr : f32
    %m = arith.mulf %ss, %c : f32
    %k = arith.mulf %r3, %m : f32
    %t = arith.mulf %a, %k : f32
    %d = arith.subf %rg, %t : f32
    linalg.yield %d : f32
  } -> tensor<1x?x8xf32>
  return %dx : tensor<1x?x8xf32>
}

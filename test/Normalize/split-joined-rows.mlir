// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-split-joined-rows))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The producer is split like its reader, and both halves of what is returned come
// from one op. What has one value per row is read as it is.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[S:.*]]: tensor<?xf32>, %[[W:.*]]: tensor<64xf32>)
// CHECK: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [%{{.*}}, 32] [1, 1]
// CHECK: %[[W0:.*]] = tensor.extract_slice %[[W]][0] [32] [1]
// CHECK: %[[N0:.*]] = linalg.generic {{.*}} ins(%[[X0]], %[[S]], %[[W0]] :
// CHECK: %[[X1:.*]] = tensor.extract_slice %[[X]][0, 32] [%{{.*}}, 32] [1, 1]
// CHECK: %[[W1:.*]] = tensor.extract_slice %[[W]][32] [32] [1]
// CHECK: %[[N1:.*]] = linalg.generic {{.*}} ins(%[[X1]], %[[S]], %[[W1]] :
// CHECK-NOT: tensor.concat
// CHECK: %[[Y:.*]]:2 = linalg.generic {{.*}} ins(%[[N0]], %[[N1]], %[[N1]], %[[N0]] :
// CHECK: ^bb0(%[[A0:.*]]: f32, %[[A1:.*]]: f32, %[[B0:.*]]: f32, %[[B1:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.subf %[[A0]], %[[B0]]
// CHECK-NEXT: %[[V1:.*]] = arith.subf %[[A1]], %[[B1]]
// CHECK-NEXT: linalg.yield %[[V0]], %[[V1]]
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[I:.*]] = tensor.insert_slice %[[Y]]#0 into %[[E]][0, 0] [%{{.*}}, 32] [1, 1]
// CHECK: %[[J:.*]] = tensor.insert_slice %[[Y]]#1 into %[[I]][0, 32] [%{{.*}}, 32] [1, 1]
// CHECK: return %[[J]]
func.func @halves(%x: tensor<?x64xf32>, %s: tensor<?xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %n = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %w : tensor<?x64xf32>, tensor<?xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.mulf %p, %c : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  %lo = tensor.extract_slice %n[0, 0] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %hi = tensor.extract_slice %n[0, 32] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %r = tensor.concat dim(1) %hi, %lo : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %r : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// Columns that are stacked and flattened are every other element.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @pairs
// CHECK-DAG: %[[EVEN:.*]] = tensor.extract_slice %{{.*}}[0, 0] [8, 4] [1, 2]
// CHECK-DAG: %[[ODD:.*]] = tensor.extract_slice %{{.*}}[0, 1] [8, 4] [1, 2]
// CHECK: %[[Y:.*]]:2 = linalg.generic
// CHECK: tensor.insert_slice %[[Y]]#0 into %{{.*}}[0, 0] [8, 4] [1, 2]
// CHECK: tensor.insert_slice %[[Y]]#1 into %{{.*}}[0, 1] [8, 4] [1, 2]
func.func @pairs(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = tensor.extract_slice %x[0, 0] [8, 4] [1, 2] : tensor<8x8xf32> to tensor<8x4xf32>
  %1 = tensor.extract_slice %x[0, 1] [8, 4] [1, 2] : tensor<8x8xf32> to tensor<8x4xf32>
  %c0 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [8, 4, 1] : tensor<8x4xf32> into tensor<8x4x1xf32>
  %c1 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [8, 4, 1] : tensor<8x4xf32> into tensor<8x4x1xf32>
  %s = tensor.concat dim(2) %c1, %c0 : (tensor<8x4x1xf32>, tensor<8x4x1xf32>) -> tensor<8x4x2xf32>
  %r = tensor.collapse_shape %s [[0], [1, 2]] : tensor<8x4x2xf32> into tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Unequal parts are ops of their own, as are parts that another op chooses by the
// index of the column.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @selected
// CHECK-SAME: (%[[A:.*]]: tensor<8x3xf32>, %[[B:.*]]: tensor<8x5xf32>)
// CHECK-NOT: scf.if
// CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<8x3xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[B]] : tensor<8x5xf32>)
// CHECK-NOT: scf.if
// CHECK: return
func.func @selected(%a: tensor<8x3xf32>, %b: tensor<8x5xf32>) -> tensor<8x8xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi ult, %j, %c3 : index
    %v = scf.if %is -> (f32) {
      %f = tensor.extract %a[%i, %j] : tensor<8x3xf32>
      scf.yield %f : f32
    } else {
      %k = arith.subi %j, %c3 : index
      %f = tensor.extract %b[%i, %k] : tensor<8x5xf32>
      scf.yield %f : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// The other operand of a generic that chooses starts one column too late.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @selected_elsewhere
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x8xf32>)
func.func @selected_elsewhere(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi ult, %j, %c4 : index
    %v = scf.if %is -> (f32) {
      %f = tensor.extract %a[%i, %j] : tensor<8x4xf32>
      scf.yield %f : f32
    } else {
      %k = arith.subi %j, %c3 : index
      %f = tensor.extract %b[%i, %k] : tensor<8x4xf32>
      scf.yield %f : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// An op that reads the index of its column, rows that are joined along another
// dimension, a reduction, and a length that is not known.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @not_split
// CHECK: %[[L:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 4] [1, 1]
// CHECK: %[[R:.*]] = tensor.insert_slice %{{.*}} into %[[L]][0, 4] [8, 4] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[R]] :
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%[[R]] :
// CHECK: %[[C:.*]] = tensor.concat dim(0)
// CHECK: linalg.generic {{.*}} ins(%[[C]] :
// CHECK: %[[D:.*]] = tensor.concat dim(1)
// CHECK: linalg.generic {{.*}} ins(%[[D]] :
func.func @not_split(%a: tensor<8x4xf32>, %d: tensor<8x?xf32>, %e: tensor<8x8xf32>, %s: tensor<8xf32>, %f: tensor<16x4xf32>, %g: tensor<8x?xf32>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<16x4xf32>, tensor<8x?xf32>) {
  %r = tensor.concat dim(1) %a, %a : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %l = arith.sitofp %k : i32 to f32
    %w = arith.mulf %v, %l : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<8x8xf32>) outs(%s : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<8xf32>
  %c = tensor.concat dim(0) %a, %a : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<16x4xf32>) outs(%f : tensor<16x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<16x4xf32>
  %q = tensor.concat dim(1) %d, %a : (tensor<8x?xf32>, tensor<8x4xf32>) -> tensor<8x?xf32>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x?xf32>) outs(%g : tensor<8x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<8x?xf32>
  return %y, %t, %z, %u : tensor<8x8xf32>, tensor<8xf32>, tensor<16x4xf32>, tensor<8x?xf32>
}

// -----

// A producer that is also read whole stays whole.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @read_whole
// CHECK: %[[N:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x8xf32>)
// CHECK: math.exp
// CHECK: tensor.extract_slice %[[N]]
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8x4xf32>)
// CHECK: return %{{.*}}, %[[N]]
func.func @read_whole(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %lo = tensor.extract_slice %n[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %hi = tensor.extract_slice %n[0, 4] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %r = tensor.concat dim(1) %hi, %lo : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  return %y, %n : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Two codes are packed into a byte. They are only read in parts, and so is what they are
// made of, because a maximum may be taken of both parts at once. What it is taken of is
// kept, so one op has both parts.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @packed
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[M:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 32] [1, 2]
// CHECK-DAG: %[[X1:.*]] = tensor.extract_slice %[[X]][0, 1] [8, 32] [1, 2]
// CHECK: %[[N:.*]]:2 = linalg.generic {{.*}} ins(%[[X0]], %[[X1]] :
// CHECK: linalg.generic {{.*}} ins(%[[N]]#0, %[[N]]#1 : {{.*}} outs(%[[M]] :
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[O:.*]]: f32):
// CHECK: %[[P:.*]] = math.absf %[[A]]
// CHECK: %[[Q:.*]] = math.absf %[[B]]
// CHECK: %[[BOTH:.*]] = arith.maximumf %[[P]], %[[Q]]
// CHECK: arith.maximumf %[[BOTH]], %[[O]]
// CHECK: %[[C0:.*]] = linalg.generic {{.*}} ins(%[[N]]#0, %{{.*}} : tensor<8x32xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8x32xi8>)
// CHECK: %[[C1:.*]] = linalg.generic {{.*}} ins(%[[N]]#1, %{{.*}} : tensor<8x32xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8x32xi8>)
// CHECK: linalg.generic {{.*}} ins(%[[C0]], %[[C1]] :
func.func @packed(%x: tensor<8x64xf32>, %start: tensor<8xf32>) -> tensor<8x32xi8> {
  %e = tensor.empty() : tensor<8x64xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %top = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<8x64xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.absf %a : f32
    %v = arith.maximumf %m, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %c = tensor.empty() : tensor<8x64xi8>
  %codes = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %top : tensor<8x64xf32>, tensor<8xf32>) outs(%c : tensor<8x64xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %d = arith.divf %a, %b : f32
    %v = arith.fptosi %d : f32 to i8
    linalg.yield %v : i8
  } -> tensor<8x64xi8>
  %low = tensor.extract_slice %codes[0, 0] [8, 32] [1, 2] : tensor<8x64xi8> to tensor<8x32xi8>
  %high = tensor.extract_slice %codes[0, 1] [8, 32] [1, 2] : tensor<8x64xi8> to tensor<8x32xi8>
  %p = tensor.empty() : tensor<8x32xi8>
  %packed = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%low, %high : tensor<8x32xi8>, tensor<8x32xi8>) outs(%p : tensor<8x32xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %v = arith.ori %a, %b : i8
    linalg.yield %v : i8
  } -> tensor<8x32xi8>
  return %packed : tensor<8x32xi8>
}

// -----

// A sum of both parts would be rounded in another order.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @summed
// CHECK: %[[N:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[N]] : tensor<8x64xf32>)
func.func @summed(%x: tensor<8x64xf32>, %start: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<8x64xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %low = tensor.extract_slice %n[0, 0] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
  %high = tensor.extract_slice %n[0, 1] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
  return %sum, %low, %high : tensor<8xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// One element becomes a scalar, which is no row.
// CHECK-LABEL: func.func @scalar
// CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
func.func @scalar(%x: tensor<1xf32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %s = tensor.insert_slice %y into %x[0] [1] [1] : tensor<f32> into tensor<1xf32>
  %c = tensor.collapse_shape %s [] : tensor<1xf32> into tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%c : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// What is known of the extents of one part holds for the others. More than four parts
// are not ops of their own, but slices as well.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @extents
// CHECK-SAME: (%[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<8x4xf32>)
// CHECK: %[[C:.*]] = tensor.cast %[[A]] : tensor<?x4xf32> to tensor<8x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[C]], %[[B]] :
// CHECK-COUNT-5: tensor.insert_slice %[[B]] into {{.*}} : tensor<8x4xf32> into tensor<8x20xf32>
// CHECK-COUNT-2: tensor.insert_slice %[[B]] into {{.*}} : tensor<8x4xf32> into tensor<8x8xf32>
// CHECK: return
func.func @extents(%a: tensor<?x4xf32>, %b: tensor<8x4xf32>) -> (tensor<8x8xf32>, tensor<8x20xf32>, tensor<8x?xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %q = tensor.concat dim(1) %b, %b, %b, %b, %b : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x20xf32>
  %o = tensor.concat dim(1) %b, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x?xf32>
  return %y, %q, %o : tensor<8x8xf32>, tensor<8x20xf32>, tensor<8x?xf32>
}

// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-merge-siblings))' --split-input-file | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-merge-siblings))' --split-input-file '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// Three ends of the rows of %n become one op; each keeps its own destination.
// CHECK-LABEL: func @three
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[Y:.*]]:3 = linalg.generic {{.*}} ins(%arg0, %arg1, %arg0, %arg1, %arg0 : {{.*}}) outs(%arg2, %[[E]], %arg2 : {{.*}})
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.negf
// CHECK: linalg.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2
func.func @three(%n: tensor<8x64xf32>, %v: tensor<64xf32>, %o: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %v : tensor<8x64xf32>, tensor<64xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %v : tensor<8x64xf32>, tensor<64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<8x64xf32>) outs(%o : tensor<8x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %d = arith.negf %a : f32
    linalg.yield %d : f32
  } -> tensor<8x64xf32>
  return %0, %1, %2 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
// The first is read by a sum of rows, the second reads the first, the third reads
// in another order, the fourth a row alone.
// CHECK-LABEL: func @apart
// CHECK-COUNT-5: = linalg.generic
// CHECK-NOT: linalg.generic
// WHY: remark: [Missed] SiblingsDiffer | Category:norm-merge-siblings | Remark="not one loop with another reader of its input: other elements of it"
func.func @apart(%n: tensor<8x8xf32>, %r: tensor<8xf32>, %o: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %d = arith.mulf %a, %a : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<8x8xf32>) outs(%r : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  %3 = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  %4 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  return %1, %2, %3, %4 : tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// The body of the third reads what the first is needed for.
// CHECK-LABEL: func @captured
// CHECK-COUNT-3: = linalg.generic
// CHECK-NOT: linalg.generic
// WHY: remark: [Missed] SiblingNeedsLater | Category:norm-merge-siblings | Remark="not one loop with another reader of its input: it needs a later value"
func.func @captured(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>, %f: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %d = arith.mulf %a, %a : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  %slice = tensor.insert_slice %0 into %o[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%slice : tensor<8x8xf32>) outs(%f : tensor<8x8xf64>) {
  ^bb0(%a: f32, %c: f64):
    %d = arith.extf %a : f32 to f64
    linalg.yield %d : f64
  } -> tensor<8x8xf64>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %e = tensor.extract %1[%j, %i] : tensor<8x8xf64>
    %t = arith.truncf %e : f64 to f32
    %d = arith.addf %a, %t : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf64>, tensor<8x8xf32>
}

// Why ops do not share a loop over rows, each at the op that stays out.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-rows))' '--remarks-filter-missed=norm.*' --verify-diagnostics -o /dev/null
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-form-rows{scheduled},norm-tile-rows{scheduled}))' '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#other = affine_map<(d0, d1) -> (d1, d0)>
#next = affine_map<(d0, d1) -> (d0, d1 + 1)>

// The matmul needs the sines before the loop of their sum.
func.func @used_before(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>, %s: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  // expected-remark @+1 {{[Missed] UsedBefore | Category:norm-tile-rows | Remark="not in the loop over rows of its user: it is also used before it"}}
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.sin %a : f32
    linalg.yield %c : f32
  } -> tensor<8x8xf32>
  %m = linalg.matmul ins(%h, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.reduce {arith.addf} ins(%h : tensor<8x8xf32>) outs(%s : tensor<8xf32>) dimensions = [1]
  return %m, %t : tensor<8x8xf32>, tensor<8xf32>
}

// The transposed sines are other rows of them.
func.func @other_rows(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+1 {{[Missed] OtherRows | Category:norm-tile-rows | Remark="not in the loop over rows of its users: they use different rows"}}
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.sin %a : f32
    linalg.yield %c : f32
  } -> tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #other, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %h : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}

// A weight, and the sum of its columns that is no statistic of rows.
func.func @weight(%x: tensor<8x8xf32>, %w: tensor<8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+1 {{[Missed] OncePerLoop | Category:norm-tile-rows | Remark="computed once, before the loop over rows that uses it: it has no rows"}}
  %g = linalg.exp ins(%w : tensor<8xf32>) outs(%w : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %g : tensor<8x8xf32>, tensor<8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}

// A value per row that no statistic of the row gives.
func.func @per_row(%x: tensor<8x8xf32>, %r: tensor<8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+2 {{[Missed] RowsReduced}}
  // expected-remark @+1 {{[Missed] OtherLoops | Category:norm-tile-rows | Remark="not in the loop over rows of its user: it reduces or lacks rows"}}
  %g = linalg.generic {indexing_maps = [#other, #row], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%r : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  %t = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %g : tensor<8x8xf32>, tensor<8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}

func.func @shifted(%x: tensor<8x9xf32>, %h: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+1 {{[Missed] OtherElements | Category:norm-tile-rows | Remark="not in the loop over rows of its user: its indices are computed"}}
  %g = linalg.generic {indexing_maps = [#next, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x9xf32>) outs(%h : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.sin %a : f32
    linalg.yield %c : f32
  } -> tensor<8x8xf32>
  %t = linalg.exp ins(%g : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}

func.func @columns(%x: tensor<8x8xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{[Missed] RowsReduced | Category:norm-tile-rows | Remark="not in a loop over rows: it reduces them without other use of a row"}}
  %t = linalg.reduce {arith.addf} ins(%x : tensor<8x8xf32>) outs(%s : tensor<8xf32>) dimensions = [0]
  return %t : tensor<8xf32>
}

// CHECK: :[[@LINE+3]]:8: remark: [Missed] NotOneVector | Category:norm-tile-rows | Remark="not in a loop over rows: its row is not one vector"
// CHECK-NOT: remark: {{.*}}{{RowsReduced|NotOneVector}}
func.func @blocks(%x: tensor<8x4x8xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %t = linalg.reduce {arith.addf} ins(%x : tensor<8x4x8xf32>) outs(%s : tensor<8xf32>) dimensions = [1, 2]
  return %t : tensor<8xf32>
}

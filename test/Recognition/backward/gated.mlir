// RUN: norm-opt %s --norm-recognize --canonicalize --cse | FileCheck %s
// RUN: sed 's|ins(%%x, %%coefficient :|ins(%%z, %%coefficient :|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=OTHER

// x is a product, computed again beside a saved root, as inductor's backward graph of a gated norm
// has it. It is the node where two factors vary along the row.
// CHECK-LABEL: func @gated
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1
// CHECK: norm.rmsnorm_backward ins(%arg4, %[[X]] : tensor<8x64xf32>, tensor<8x64xf32>) weight(%arg2 : tensor<64xf32>) inv_rms(%arg3 : tensor<8xf32>) dx(%{{.*}}) dw(%{{.*}}) dims = [1]
// OTHER-LABEL: func @gated
// OTHER-NOT: dx(

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#column = affine_map<(i, k) -> (k)>
#vector = affine_map<(i) -> (i)>
func.func @gated(%y: tensor<8x64xf32>, %z: tensor<8x64xf32>, %w: tensor<64xf32>, %r: tensor<8xf32>, %dy: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %half = arith.constant -5.0e-1 : f32
  %n = arith.constant 6.4e+1 : f32
  %empty = tensor.empty() : tensor<8x64xf32>
  %empty.row = tensor.empty() : tensor<8xf32>
  %empty.column = tensor.empty() : tensor<64xf32>
  %fill.row = linalg.fill ins(%zero : f32) outs(%empty.row : tensor<8xf32>) -> tensor<8xf32>
  %fill.column = linalg.fill ins(%zero : f32) outs(%empty.column : tensor<64xf32>) -> tensor<64xf32>
  %x = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<8x64xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x64xf32>
  %normalized = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x64xf32>, tensor<8xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x64xf32>
  %dw = linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["reduction", "parallel"]} ins(%dy, %normalized : tensor<8x64xf32>, tensor<8x64xf32>) outs(%fill.column : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%dy, %w : tensor<8x64xf32>, tensor<64xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x64xf32>
  %dot = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%g, %x : tensor<8x64xf32>, tensor<8x64xf32>) outs(%fill.row : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %coefficient = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%r, %dot : tensor<8xf32>, tensor<8xf32>) outs(%empty.row : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r2 = arith.mulf %a, %a : f32
    %r3 = arith.mulf %r2, %a : f32
    %h = arith.mulf %b, %half : f32
    %p = arith.mulf %h, %r3 : f32
    %c = arith.divf %p, %n : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  %projection = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %coefficient : tensor<8x64xf32>, tensor<8xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.mulf %a, %two : f32
    %p = arith.mulf %c, %d : f32
    linalg.yield %p : f32
  } -> tensor<8x64xf32>
  %dx = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%g, %r, %projection : tensor<8x64xf32>, tensor<8xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %direct = arith.mulf %a, %b : f32
    %s = arith.addf %direct, %c : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  return %dx, %dw, %x : tensor<8x64xf32>, tensor<64xf32>, tensor<8x64xf32>
}

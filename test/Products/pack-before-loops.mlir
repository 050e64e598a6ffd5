// RUN: norm-opt %s --norm-tile-products | FileCheck %s

// A matrix that each iteration of a program's loop reads is packed before it; its slice is only where the loop
// has iterations.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func @outside
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x512x64xf32>) {{.*}}norm.pack
// CHECK: scf.for
// CHECK-NOT: norm.pack
func.func @outside(%x: tensor<33x512xf32>, %w: tensor<512x512xf32>, %n: index) -> tensor<33x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x512xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<33x512xf32>) {
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x512xf32>) -> tensor<33x512xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %w : tensor<33x512xf32>, tensor<512x512xf32>) outs(%f : tensor<33x512xf32>) {
    ^bb0(%u: f32, %v: f32, %s: f32):
      %m = arith.mulf %u, %v : f32
      %a = arith.addf %s, %m : f32
      linalg.yield %a : f32
    } -> tensor<33x512xf32>
    scf.yield %p : tensor<33x512xf32>
  }
  return %r : tensor<33x512xf32>
}

// CHECK-LABEL: func @slice
// CHECK-NOT: norm.pack
// CHECK: scf.for
// CHECK: norm.pack
func.func @slice(%x: tensor<33x512xf32>, %w: tensor<?x512xf32>, %n: index, %from: index) -> tensor<33x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x512xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<33x512xf32>) {
    %b = tensor.extract_slice %w[%from, 0] [512, 512] [1, 1] : tensor<?x512xf32> to tensor<512x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x512xf32>) -> tensor<33x512xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %b : tensor<33x512xf32>, tensor<512x512xf32>) outs(%f : tensor<33x512xf32>) {
    ^bb0(%u: f32, %v: f32, %s: f32):
      %m = arith.mulf %u, %v : f32
      %a = arith.addf %s, %m : f32
      linalg.yield %a : f32
    } -> tensor<33x512xf32>
    scf.yield %p : tensor<33x512xf32>
  }
  return %r : tensor<33x512xf32>
}

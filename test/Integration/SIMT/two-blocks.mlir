// Two blocks x + norm(x) W in one function: the first one's fill is the start of two
// sums, so that a row copies a value and reads back what it stores.
// RUN: norm-compile %s --target=nvvm --emit=ptx -o - | FileCheck %s
// CHECK: .visible .entry main_kernel0(
// RUN: norm-run %s --pipeline=upstream --input=16x64xf32=0.5 --input=64x64xf32=0.01 --output=@%t.npy
// RUN: norm-run %s --pipeline=simt --input=16x64xf32=0.5 --input=64x64xf32=0.01 --expected-output=@%t.npy --max-ulp=32
// RUN: not norm-run %s --pipeline=simt --input=16x64xf32=0.5 --input=64x64xf32=0.02 --expected-output=@%t.npy --max-ulp=32

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x0: tensor<16x64xf32>, %W: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
 %n = arith.constant 64.0 : f32
 %eps = arith.constant 1.0e-6 : f32
 %c0 = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<16xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
  %s0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x0 : tensor<16x64xf32>) outs(%i0 : tensor<16xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<16xf32>
  %g0 = tensor.empty() : tensor<16x64xf32>
  %y0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x0, %s0 : tensor<16x64xf32>, tensor<16xf32>) outs(%g0 : tensor<16x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %m0 = arith.divf %s, %n : f32
    %m1 = arith.addf %m0, %eps : f32
    %r = math.rsqrt %m1 : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<16x64xf32>
  %z0 = tensor.empty() : tensor<16x64xf32>
  %zf0 = linalg.fill ins(%zero : f32) outs(%z0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %mm0 = linalg.matmul ins(%y0, %W : tensor<16x64xf32>, tensor<64x64xf32>) outs(%zf0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h0 = tensor.empty() : tensor<16x64xf32>
  %x1 = linalg.add ins(%x0, %mm0 : tensor<16x64xf32>, tensor<16x64xf32>) outs(%h0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %s1 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x1 : tensor<16x64xf32>) outs(%i1 : tensor<16xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<16xf32>
  %g1 = tensor.empty() : tensor<16x64xf32>
  %y1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x1, %s1 : tensor<16x64xf32>, tensor<16xf32>) outs(%g1 : tensor<16x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %m0 = arith.divf %s, %n : f32
    %m1 = arith.addf %m0, %eps : f32
    %r = math.rsqrt %m1 : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<16x64xf32>
  %z1 = tensor.empty() : tensor<16x64xf32>
  %zf1 = linalg.fill ins(%zero : f32) outs(%z1 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %mm1 = linalg.matmul ins(%y1, %W : tensor<16x64xf32>, tensor<64x64xf32>) outs(%zf1 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h1 = tensor.empty() : tensor<16x64xf32>
  %x2 = linalg.add ins(%x1, %mm1 : tensor<16x64xf32>, tensor<16x64xf32>) outs(%h1 : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %x2 : tensor<16x64xf32>
}

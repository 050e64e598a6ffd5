// RUN: norm-run %s --function=rope '--input=1x2x2xf32=1 2 3 4' '--input=1x2x2xf32=0 1 0.5 -2' | FileCheck %s
// RUN: norm-compile %s --target=nvvm --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// What is not a norm is compiled by upstream's passes, complex numbers, too.
// (1 + 2i) i and (3 + 4i) (0.5 - 2i)
// CHECK: -2 1][9.5 -4]
// PTX: .entry

// Rotary embedding as Llama's own code writes it: pairs are complex numbers.
#all = affine_map<(d0, d1) -> (d0, d1)>
#pair = affine_map<(d0, d1) -> (d0, d1, 0)>
#pairs = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#of = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @rope(%x: tensor<?x2x2xf32>, %f: tensor<?x2x2xf32>) -> tensor<?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x2x2xf32>
  %e = tensor.empty(%m) : tensor<?x2xcomplex<f32>>
  %xc = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x2xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %re = tensor.extract %x[%i, %j, %c0] : tensor<?x2x2xf32>
    %im = tensor.extract %x[%i, %j, %c1] : tensor<?x2x2xf32>
    %fre = tensor.extract %f[%i, %j, %c0] : tensor<?x2x2xf32>
    %fim = tensor.extract %f[%i, %j, %c1] : tensor<?x2x2xf32>
    %a = complex.create %re, %im : complex<f32>
    %b = complex.create %fre, %fim : complex<f32>
    %p = complex.mul %a, %b : complex<f32>
    linalg.yield %p : complex<f32>
  } -> tensor<?x2xcomplex<f32>>
  %r = tensor.empty(%m) : tensor<?x2x2xf32>
  %y = linalg.generic {indexing_maps = [#of, #pairs], iterator_types = ["parallel", "parallel", "parallel"]} ins(%xc : tensor<?x2xcomplex<f32>>) outs(%r : tensor<?x2x2xf32>) {
  ^bb0(%c: complex<f32>, %o: f32):
    %k = linalg.index 2 : index
    %isRe = arith.cmpi eq, %k, %c0 : index
    %re = complex.re %c : complex<f32>
    %im = complex.im %c : complex<f32>
    %v = arith.select %isRe, %re, %im : f32
    linalg.yield %v : f32
  } -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}

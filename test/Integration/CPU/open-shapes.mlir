// Rows that become a batch and a sequence, both of unknown extent.
// RUN: %python -c "import sys, numpy as n; r = n.random.default_rng(1); x, b = (r.standard_normal(s).astype('f') for s in ((6, 64), (2, 3))); [n.save(sys.argv[1] + s, a) for s, a in zip(('.x.npy', '.b.npy', '.y.npy'), (x, b, x.reshape(2, 3, 64) + b[:, :, None]))]" %t
// RUN: norm-run %s --function=main --input=@%t.x.npy --input=@%t.b.npy --expected-output=@%t.y.npy --max-ulp=0

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%rows: tensor<?x64xf32>, %bias: tensor<?x?xf32>) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %bias, %c0 : tensor<?x?xf32>
  %sequence = tensor.dim %bias, %c1 : tensor<?x?xf32>
  %x = tensor.expand_shape %rows [[0, 1], [2]] output_shape [%batch, %sequence, 64] : tensor<?x64xf32> into tensor<?x?x64xf32>
  %e = tensor.empty(%batch, %sequence) : tensor<?x?x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %bias : tensor<?x?x64xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

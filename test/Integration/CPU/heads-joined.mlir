// A product per head, whose heads are joined to rows that another product reads:
// blocks of rows compute all heads, each with its own matrix.
// RUN: %python -c "import numpy as np; n = np.random.default_rng(1); [np.save('%t.' + x, n.integers(-2, 3, s).astype(np.float32)) for x, s in (('a', (32, 64, 8)), ('b', (32, 8, 256)), ('c', (8192, 60)))]"
// RUN: norm-run %s --pipeline=upstream --input=@%t.a.npy --input=@%t.b.npy --input=@%t.c.npy --output=@%t.y.npy
// RUN: norm-run %s --input=@%t.a.npy --input=@%t.b.npy --input=@%t.c.npy --expected-output=@%t.y.npy
// RUN: norm-run %s --threads=2 --input=@%t.a.npy --input=@%t.b.npy --input=@%t.c.npy --expected-output=@%t.y.npy
// RUN: norm-compile %s --explain | FileCheck %s
// CHECK: by blocks of {{[0-9]+}} rows, together with what computes these from other products

func.func @main(%q: tensor<32x64x8xf32>, %k: tensor<32x8x256xf32>, %w: tensor<8192x60xf32>) -> tensor<64x60xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64x256xf32>) -> tensor<32x64x256xf32>
  %heads = linalg.batch_matmul ins(%q, %k : tensor<32x64x8xf32>, tensor<32x8x256xf32>) outs(%f : tensor<32x64x256xf32>) -> tensor<32x64x256xf32>
  %te = tensor.empty() : tensor<64x32x256xf32>
  %t = linalg.transpose ins(%heads : tensor<32x64x256xf32>) outs(%te : tensor<64x32x256xf32>) permutation = [1, 0, 2]
  %rows = tensor.collapse_shape %t [[0], [1, 2]] : tensor<64x32x256xf32> into tensor<64x8192xf32>
  %ye = tensor.empty() : tensor<64x60xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<64x60xf32>) -> tensor<64x60xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<64x8192xf32>, tensor<8192x60xf32>) outs(%yf : tensor<64x60xf32>) -> tensor<64x60xf32>
  return %y : tensor<64x60xf32>
}

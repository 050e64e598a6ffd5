// An RMSNorm as a user would write it, in arithmetic on tensors: README.md.
func.func @main(%x: tensor<4x64xf32>, %w: tensor<64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant dense<64.0> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %row = tensor.empty() : tensor<4xf32>
  %all = tensor.empty() : tensor<4x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %squares = arith.mulf %x, %x : tensor<4x64xf32>
  %sum = linalg.reduce { arith.addf } ins(%squares : tensor<4x64xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<4xf32>
  %m = arith.addf %mean, %eps : tensor<4xf32>
  %r = math.rsqrt %m : tensor<4xf32>
  %rs = linalg.broadcast ins(%r : tensor<4xf32>) outs(%all : tensor<4x64xf32>) dimensions = [1]
  %z = arith.mulf %x, %rs : tensor<4x64xf32>
  %ws = linalg.broadcast ins(%w : tensor<64xf32>) outs(%all : tensor<4x64xf32>) dimensions = [0]
  %y = arith.mulf %z, %ws : tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// Kernels with each kind of schedule, for --explain.
#row = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#all4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#odd4 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
func.func @strips(%x: tensor<4096x65536xf32>) -> tensor<4096x65536xf32> {
  %o = tensor.empty() : tensor<4096x65536xf32>
  %y = norm.rmsnorm ins(%x : tensor<4096x65536xf32>) outs(%o : tensor<4096x65536xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<4096x65536xf32>
  return %y : tensor<4096x65536xf32>
}
func.func @single(%x: tensor<4096xf32>, %w: tensor<4096xf32>) -> tensor<4096xf32> {
  %o = tensor.empty() : tensor<4096xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<4096xf32>, tensor<4096xf32>) outs(%o : tensor<4096xf32>) dims = [0] epsilon = 1.0e-6 : f32 -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}
func.func @dynamic(%x: tensor<?x?xf32>, %o : tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = norm.rmsnorm ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @columns(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %o = tensor.empty() : tensor<64x512xf32>
  %y = norm.rmsnorm ins(%x : tensor<64x512xf32>) outs(%o : tensor<64x512xf32>) dims = [0] epsilon = 1.0e-6 : f32 -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @wide(%x: tensor<64x65536xf64>) -> tensor<64x65536xf64> {
  %o = tensor.empty() : tensor<64x65536xf64>
  %y = norm.rmsnorm ins(%x : tensor<64x65536xf64>) outs(%o : tensor<64x65536xf64>) dims = [1] epsilon = 1.0e-6 : f64 -> tensor<64x65536xf64>
  return %y : tensor<64x65536xf64>
}
func.func @filled(%o: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %c = arith.constant 1.0 : f32
  %y = linalg.fill ins(%c : f32) outs(%o : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
func.func @sums(%x: tensor<4x8x16x32xf32>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %y = linalg.generic {indexing_maps = [#all4, #odd4], iterator_types = ["reduction", "parallel", "reduction", "parallel"]} ins(%x : tensor<4x8x16x32xf32>) outs(%o : tensor<8x32xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

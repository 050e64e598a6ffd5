#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#table = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
func.func @norm(%x: tensor<2x?x3x128xbf16>, %w: tensor<128xbf16>) -> tensor<2x?x3x128xbf16> {
  %c1 = arith.constant 1 : index
  %s = tensor.dim %x, %c1 : tensor<2x?x3x128xbf16>
  %n_e = tensor.empty(%s) : tensor<2x?x3x128xbf16>
  %n = norm.rmsnorm ins(%x, %w : tensor<2x?x3x128xbf16>, tensor<128xbf16>) outs(%n_e : tensor<2x?x3x128xbf16>) dims = [3] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<2x?x3x128xbf16>
  return %n : tensor<2x?x3x128xbf16>
}
func.func @rotary(%x: tensor<2x?x3x128xbf16>, %w: tensor<128xbf16>, %cos: tensor<?x128xbf16>, %sin: tensor<?x128xbf16>) -> tensor<2x?x3x128xbf16> {
  %c1 = arith.constant 1 : index
  %s = tensor.dim %x, %c1 : tensor<2x?x3x128xbf16>
  %n_e = tensor.empty(%s) : tensor<2x?x3x128xbf16>
  %n = norm.rmsnorm ins(%x, %w : tensor<2x?x3x128xbf16>, tensor<128xbf16>) outs(%n_e : tensor<2x?x3x128xbf16>) dims = [3] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<2x?x3x128xbf16>
  %first = tensor.extract_slice %n[0, 0, 0, 0] [2, %s, 3, 64] [1, 1, 1, 1] : tensor<2x?x3x128xbf16> to tensor<2x?x3x64xbf16>
  %second = tensor.extract_slice %n[0, 0, 0, 64] [2, %s, 3, 64] [1, 1, 1, 1] : tensor<2x?x3x128xbf16> to tensor<2x?x3x64xbf16>
  %minus_e = tensor.empty(%s) : tensor<2x?x3x64xbf16>
  %minus = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%second : tensor<2x?x3x64xbf16>) outs(%minus_e : tensor<2x?x3x64xbf16>) {
  ^bb0(%a0: bf16, %o: bf16):
    %v = arith.negf %a0 : bf16
    linalg.yield %v : bf16
  } -> tensor<2x?x3x64xbf16>
  %r = tensor.concat dim(3) %minus, %first : (tensor<2x?x3x64xbf16>, tensor<2x?x3x64xbf16>) -> tensor<2x?x3x128xbf16>
  %a_e = tensor.empty(%s) : tensor<2x?x3x128xbf16>
  %a = linalg.generic {indexing_maps = [#id, #table, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%n, %cos : tensor<2x?x3x128xbf16>, tensor<?x128xbf16>) outs(%a_e : tensor<2x?x3x128xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %o: bf16):
    %v = arith.mulf %a0, %a1 : bf16
    linalg.yield %v : bf16
  } -> tensor<2x?x3x128xbf16>
  %b_e = tensor.empty(%s) : tensor<2x?x3x128xbf16>
  %b = linalg.generic {indexing_maps = [#id, #table, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %sin : tensor<2x?x3x128xbf16>, tensor<?x128xbf16>) outs(%b_e : tensor<2x?x3x128xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %o: bf16):
    %v = arith.mulf %a0, %a1 : bf16
    linalg.yield %v : bf16
  } -> tensor<2x?x3x128xbf16>
  %y_e = tensor.empty(%s) : tensor<2x?x3x128xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<2x?x3x128xbf16>, tensor<2x?x3x128xbf16>) outs(%y_e : tensor<2x?x3x128xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %o: bf16):
    %v = arith.addf %a0, %a1 : bf16
    linalg.yield %v : bf16
  } -> tensor<2x?x3x128xbf16>
  return %y : tensor<2x?x3x128xbf16>
}

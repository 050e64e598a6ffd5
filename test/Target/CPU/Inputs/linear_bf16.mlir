// A product of a torch.nn.Linear, whose weight has a row per column of the result.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @linear(%x: tensor<48x320xbf16>, %w: tensor<200x320xbf16>) -> tensor<48x200xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<48x200xbf16>
  %start = linalg.fill ins(%zero : bf16) outs(%empty : tensor<48x200xbf16>) -> tensor<48x200xbf16>
  %y = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<48x320xbf16>, tensor<200x320xbf16>)
      outs(%start : tensor<48x200xbf16>) -> tensor<48x200xbf16>
  return %y : tensor<48x200xbf16>
}

// Llama's norm in bf16 on any number of rows: docs/Codegen.md follows it through
// the stages.
func.func @main(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>, %y: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = norm.rmsnorm ins(%x, %w : tensor<?x4096xbf16>, tensor<4096xbf16>) outs(%y : tensor<?x4096xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

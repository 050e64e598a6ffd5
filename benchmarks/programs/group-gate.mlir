//--- group-gate: llama of x * silu(z) in 8 groups a row (Mamba-2)
// include types
// include block-types
func.func @main(%x: !x, %z: !x, %w: !col) -> !x {
  // include rows
  // include multiply-silu
  %groups = tensor.expand_shape %gated [[0], [1, 2]] output_shape [$extent, $blocks, $block] : !wide into !wide_blocks
  // include normalize %wide=%groups %normalized=%normal !wide=!wide_blocks !row=!block #unary=#unary_blocks #along_row=#along_block #per_row=#per_block #with_row=#with_block
  %normalized = tensor.collapse_shape %normal [[0], [1, 2]] : !wide_blocks into !wide
  // include weigh
  return %weighted : !x
}

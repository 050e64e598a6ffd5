//--- rotary-interleaved: the same by pairs of neighbors
// include head-types
!pair_half = tensor<$rowsx$headsx$halfx1x$type>
!pairs = tensor<$rowsx$headsx$halfx2x$type>
func.func @main(%x: !x, %w: !col, %cos: !table, %sin: !table) -> !x {
  // include rows
  // include llama-norm
  %first = tensor.extract_slice %weighted[0, 0, 0] [$extent, $heads, $half] [1, 1, 2] : !x to !half
  %second = tensor.extract_slice %weighted[0, 0, 1] [$extent, $heads, $half] [1, 1, 2] : !x to !half
  // include negate
  %minus_column = tensor.expand_shape %minus [[0], [1], [2, 3]] output_shape [$extent, $heads, $half, 1] : !half into !pair_half
  %first_column = tensor.expand_shape %first [[0], [1], [2, 3]] output_shape [$extent, $heads, $half, 1] : !half into !pair_half
  %pairs = tensor.concat dim(3) %minus_column, %first_column : (!pair_half, !pair_half) -> !pairs
  %turned = tensor.collapse_shape %pairs [[0], [1], [2, 3]] : !pairs into !x
  // include rotate
  return %rotated : !x
}

//--- rotary: llama per head of 128, then a rotary embedding by halves
// include head-types
func.func @main(%x: !x, %w: !col, %cos: !table, %sin: !table) -> !x {
  // include rows
  // include llama-norm
  %first = tensor.extract_slice %weighted[0, 0, 0] [$extent, $heads, $half] [1, 1, 1] : !x to !half
  %second = tensor.extract_slice %weighted[0, 0, $half] [$extent, $heads, $half] [1, 1, 1] : !x to !half
  // include negate
  %turned = tensor.concat dim(2) %minus, %first : (!half, !half) -> !x
  // include rotate
  return %rotated : !x
}

//--- bias: llama, then + bias
// include types
func.func @main(%x: !x, %w: !col, %bias: !col) -> !x {
  // include rows
  // include llama-norm
  // include add-columns %x=%weighted
  return %y : !x
}

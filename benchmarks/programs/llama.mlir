//--- llama: weight after a rounding to the type of x
// include types
func.func @main(%x: !x, %w: !col) -> !x {
  // include rows
  // include llama-norm
  return %weighted : !x
}

//--- gate-before: llama of x * silu(z)
// include types
func.func @main(%x: !x, %z: !x, %w: !col) -> !x {
  // include rows
  // include multiply-silu
  // include narrow %y=%gated
  // include llama-norm %x=%gated$16
  return %weighted : !x
}

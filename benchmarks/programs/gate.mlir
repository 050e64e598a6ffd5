//--- gate: llama, then * silu(z)
// include types
func.func @main(%x: !x, %w: !col, %z: !x) -> !x {
  // include rows
  // include llama-norm
  // include multiply-silu %x=%weighted
  // include narrow %y=%gated
  return %gated$16 : !x
}

//--- modulation: plain, then * (1 + scale) + shift
// include types
func.func @main(%x: !x, %scale: !col, %shift: !col) -> !x {
  // include rows
  // include norm
  // include narrow %y=%normalized
  // include modulate %x=%normalized$16
  return %y : !x
}

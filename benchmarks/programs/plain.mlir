//--- plain: no weight
// include types
func.func @main(%x: !x) -> !x {
  // include rows
  // include norm
  // include narrow %y=%normalized
  return %normalized$16 : !x
}

//--- transpose: rows become columns
// include types
func.func @main(%turned: tensor<$colsx$rowsx$type>) -> !x {
  // include transpose-x
  return %x : !x
}

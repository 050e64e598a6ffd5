//--- permuted: plain, of what is transposed before (channels first)
// include types
func.func @main(%turned: tensor<$colsx$rowsx$type>) -> !x {
  // include transpose-x
  // include rows
  // include norm
  // include narrow %y=%normalized
  return %normalized$16 : !x
}

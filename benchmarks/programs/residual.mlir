//--- residual: llama of x + residual, the sum is a result too
// include types
func.func @main(%x: !x, %residual: !x, %w: !col) -> (!x, !x) {
  // include rows
  // include add %sum=%h %y=%residual
  // include llama-norm %x=%h
  return %h, %weighted : !x, !x
}

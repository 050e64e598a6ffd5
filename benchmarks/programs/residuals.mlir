//--- residuals: llama of x + attention + mlp, the sum is a result too
// include types
func.func @main(%x: !x, %attention: !x, %mlp: !x, %w: !col) -> (!x, !x) {
  // include rows
  // include add %sum=%h_1 %y=%attention
  // include add %sum=%h %x=%h_1 %y=%mlp
  // include llama-norm %x=%h
  return %h, %weighted : !x, !x
}

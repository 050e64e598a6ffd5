//--- fp8: llama, then f8E4M3FN with one scale a row
// include types
!bits = tensor<$rowsx$colsxf8E4M3FN>
func.func @main(%x: !x, %w: !col) -> (!bits, !row) {
  // include rows
  // include llama-norm
  // include widen %x=%weighted
  // include row-scale %y=%weighted $most=448.0
  %q.init = tensor.empty($size) : !bits
  %q = linalg.generic #with_row ins(%weighted$32, %scale : !wide, !row) outs(%q.init : !bits) {
  ^bb0(%a: f32, %b: f32, %o: f8E4M3FN):
    %d = arith.divf %a, %b : f32
    %v = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %v : f8E4M3FN
  } -> !bits
  return %q, %scale : !bits, !row
}

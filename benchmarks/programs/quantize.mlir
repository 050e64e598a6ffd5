//--- quantize: llama, then int8 with one scale a row
// include types
!bits = tensor<$rowsx$colsxi8>
func.func @main(%x: !x, %w: !col) -> (!bits, !row) {
  // include rows
  // include llama-norm
  // include widen %x=%weighted
  // include row-scale %y=%weighted $most=127.0
  %q.init = tensor.empty($size) : !bits
  %q = linalg.generic #with_row ins(%weighted$32, %scale : !wide, !row) outs(%q.init : !bits) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %r = arith.divf %a, %b : f32
    %d = math.roundeven %r : f32
    // include clamp $most=127.0
    %v = arith.fptosi %k : f32 to i8
    linalg.yield %v : i8
  } -> !bits
  return %q, %scale : !bits, !row
}

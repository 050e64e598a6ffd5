//--- gemma: 1 + weight in f32, one rounding at the end
// include types
func.func @main(%x: !x, %w: !col) -> !x {
  // include rows
  // include norm
  // include widen %x=%w !x=!col !wide=!wide_col #unary=#per_col $size=
  %offset.init = tensor.empty() : !wide_col
  %offset = linalg.generic #per_col ins(%w$32 : !wide_col) outs(%offset.init : !wide_col) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %v = arith.addf %a, %one : f32
    linalg.yield %v : f32
  } -> !wide_col
  %weighted.init = tensor.empty($size) : !wide
  %weighted = linalg.generic #with_col ins(%normalized, %offset : !wide, !wide_col) outs(%weighted.init : !wide) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> !wide
  // include narrow %y=%weighted
  return %weighted$16 : !x
}

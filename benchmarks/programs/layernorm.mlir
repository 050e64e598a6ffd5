//--- layernorm: LayerNorm with weight and bias in f32
// include types
func.func @main(%x: !x, %w: !col, %bias: !col) -> !x {
  // include rows
  // include widen
  // include sum %x=%x$32 %sum=%total
  // include mean
  // include with-row %x=%x$32 %r=%mean %y=%centered $op=subf
  // include normalize %wide=%centered
  // include widen %x=%w !x=!col !wide=!wide_col #unary=#per_col $size=
  // include with-row %x=%normalized %r=%w$32 %y=%weighted $op=mulf !row=!wide_col #with_row=#with_col
  // include widen %x=%bias !x=!col !wide=!wide_col #unary=#per_col $size=
  // include with-row %x=%weighted %r=%bias$32 $op=addf !row=!wide_col #with_row=#with_col
  // include narrow
  return %y$16 : !x
}

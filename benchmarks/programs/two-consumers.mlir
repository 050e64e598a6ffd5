//--- two-consumers: plain, modulated twice, into two results
// include types
func.func @main(%x: !x, %scale_1: !col, %shift_1: !col, %scale_2: !col, %shift_2: !col) -> (!x, !x) {
  // include rows
  // include norm
  // include narrow %y=%normalized
  // include modulate %x=%normalized$16 %scale=%scale_1 %shift=%shift_1
  // include modulate %x=%normalized$16 %scale=%scale_2 %shift=%shift_2 %offset=%offset_2 %scaled=%scaled_2 %y=%y_2
  return %y, %y_2 : !x, !x
}

//--- channels: norm of each column, with one weight per row
// include types
func.func @main(%x: !x, %w: tensor<$rowsx$type>) -> !x {
  // include widen
  // include zeros !row=!wide_col
  %sum = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x$32 : !wide) outs(%sum.fill : !wide_col) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> !wide_col
  // include inverse-root !row=!wide_col
  // include with-row %x=%x$32 %r=%inv %y=%normalized $op=mulf !row=!wide_col #with_row=#with_col
  // include weigh !col=tensor<$rowsx$type> #with_col=#with_row
  return %weighted : !x
}

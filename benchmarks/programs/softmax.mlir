//--- softmax: softmax over the row
// include types
func.func @main(%x: !x) -> !x {
  // include rows
  // include widen
  %top.start = arith.constant 0xFF800000 : f32 // minus infinity
  %top.init = tensor.empty($size) : !row
  %top.fill = linalg.fill ins(%top.start : f32) outs(%top.init : !row) -> !row
  %top = linalg.generic #along_row ins(%x$32 : !wide) outs(%top.fill : !row) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %a, %o : f32
    linalg.yield %v : f32
  } -> !row
  // include with-row %x=%x$32 %r=%top %y=%below $op=subf
  %power.init = tensor.empty($size) : !wide
  %power = linalg.generic #unary ins(%below : !wide) outs(%power.init : !wide) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> !wide
  // include sum %x=%power
  // include with-row %x=%power %r=%sum $op=divf
  // include narrow
  return %y$16 : !x
}

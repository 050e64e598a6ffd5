//--- backward-residual: the same, with a gradient added to that of x
// include types
func.func @main(%x: !x, %dy: !x, %w: !col, %residual: !x) -> (!x, !col) {
  // include rows
  // include gradient-factors
  %dx.init = tensor.empty($size) : !x
  %dx = linalg.generic {indexing_maps = [#id, #row, #id, #col, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %inv, %dy, %w, %mean, %residual : !x, !row, !x, !col, !row, !x) outs(%dx.init : !x) {
  ^bb0(%a: $type, %b: f32, %c: $type, %d: $type, %e: f32, %f: $type, %o: $type):
    // include gradient-terms
    // include extend %a=%f
    %y = arith.mulf %b, %u : f32
    %v = arith.addf %y, %f$32 : f32
    // include round
    linalg.yield %v$16 : $type
  } -> !x
  // include gradient-of-weight
  return %dx, %sum$16 : !x, !col
}

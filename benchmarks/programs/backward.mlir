//--- backward: gradients of x and of the weight of a norm, in f32 inside
// include types
func.func @main(%x: !x, %dy: !x, %w: !col) -> (!x, !col) {
  // include rows
  // include gradient-factors
  %dx.init = tensor.empty($size) : !x
  %dx = linalg.generic {indexing_maps = [#id, #row, #id, #col, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %inv, %dy, %w, %mean : !x, !row, !x, !col, !row) outs(%dx.init : !x) {
  ^bb0(%a: $type, %b: f32, %c: $type, %d: $type, %e: f32, %o: $type):
    // include gradient-terms
    %v = arith.mulf %b, %u : f32
    // include round
    linalg.yield %v$16 : $type
  } -> !x
  // include gradient-of-weight
  return %dx, %sum$16 : !x, !col
}

//--- columns: sum of each column in f32, the rows outside
// include types
func.func @main(%x: !x) -> !wide_col {
  // include zeros !row=!wide_col $size=
  %sum = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : !x) outs(%sum.fill : !wide_col) {
  ^bb0(%a: $type, %o: f32):
    // include extend
    %s = arith.addf %a$32, %o : f32
    linalg.yield %s : f32
  } -> !wide_col
  return %sum : !wide_col
}

//--- columns-inside: the same with the loop over the rows inside
// include types
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%x: !x) -> !wide_col {
  // include zeros !row=!wide_col $size=
  %sum = linalg.generic {indexing_maps = [#turned, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%sum.fill : !wide_col) {
  ^bb0(%a: $type, %o: f32):
    // include extend
    %s = arith.addf %a$32, %o : f32
    linalg.yield %s : f32
  } -> !wide_col
  return %sum : !wide_col
}

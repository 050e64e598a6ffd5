//--- fp8-given: llama, then f8E4M3FN with a given scale
// The scale is one for all rows, from a calibration.
// include types
#scalar = affine_map<(d0, d1) -> ()>
!bits = tensor<$rowsx$colsxf8E4M3FN>
func.func @main(%x: !x, %w: !col, %given: tensor<f32>) -> !bits {
  // include rows
  // include llama-norm
  // include widen %x=%weighted
  %q.init = tensor.empty($size) : !bits
  %q = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel", "parallel"]}
      ins(%weighted$32, %given : !wide, tensor<f32>) outs(%q.init : !bits) {
  ^bb0(%a: f32, %b: f32, %o: f8E4M3FN):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %b : f32
    %d = arith.mulf %a, %i : f32
    // include clamp $most=448.0
    %v = arith.truncf %k : f32 to f8E4M3FN
    linalg.yield %v : f8E4M3FN
  } -> !bits
  return %q : !bits
}

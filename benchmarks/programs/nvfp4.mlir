//--- nvfp4: the same with one f8E4M3FN for 16
// include types
// include block-types
!codes = tensor<$rowsx$blocksx$blockxi8>
!pairs = tensor<$rowsx$halfxi8>
func.func @main(%x: !x, %w: !col) -> (!pairs, !block_bits) {
  // include rows
  // include llama-norm
  // include widen %x=%weighted
  // include largest-of-blocks %y=%weighted
  %scale.init = tensor.empty($size) : !block_bits
  %scale = linalg.generic #per_block ins(%top : !block) outs(%scale.init : !block_bits) {
  ^bb0(%a: f32, %o: i8):
    %six = arith.constant 6.0 : f32
    %d = arith.divf %a, %six : f32
    %least = arith.constant 0.001953125 : f32
    %u = arith.maximumf %d, %least : f32
    %most = arith.constant 448.0 : f32
    %k = arith.minimumf %u, %most : f32
    %q = arith.truncf %k : f32 to f8E4M3FN
    %v = arith.bitcast %q : f8E4M3FN to i8
    linalg.yield %v : i8
  } -> !block_bits
  %factor.init = tensor.empty($size) : !block
  %factor = linalg.generic #per_block ins(%scale : !block_bits) outs(%factor.init : !block) {
  ^bb0(%a: i8, %o: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.bitcast %a : i8 to f8E4M3FN
    %f = arith.extf %q : f8E4M3FN to f32
    %v = arith.divf %one, %f : f32
    linalg.yield %v : f32
  } -> !block
  %codes.init = tensor.empty($size) : !codes
  %codes = linalg.generic #with_block ins(%blocks, %factor : !wide_blocks, !block) outs(%codes.init : !codes) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %s = arith.mulf %a, %b : f32
    %q = arith.truncf %s : f32 to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> !codes
  // include pack
  return %q, %scale : !pairs, !block_bits
}

//--- mxfp4: llama, then two f4E2M1FN a byte with one power of two for 32
// As for mxfp8; the largest number is 6, of the exponent 2.
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
    %q = arith.truncf %a toward_zero : f32 to f8E8M0FNU
    %b = arith.bitcast %q : f8E8M0FNU to i8
    %e = arith.extui %b : i8 to i32
    %c2 = arith.constant 2 : i32
    %d = arith.subi %e, %c2 : i32
    %c0 = arith.constant 0 : i32
    %k = arith.maxsi %d, %c0 : i32
    %v = arith.trunci %k : i32 to i8
    linalg.yield %v : i8
  } -> !block_bits
  %codes.init = tensor.empty($size) : !codes
  %codes = linalg.generic #with_block ins(%blocks, %scale : !wide_blocks, !block_bits) outs(%codes.init : !codes) {
  ^bb0(%a: f32, %b: i8, %o: i8):
    %e = arith.bitcast %b : i8 to f8E8M0FNU
    %f = arith.extf %e : f8E8M0FNU to f32
    %s = arith.divf %a, %f : f32
    %q = arith.truncf %s : f32 to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> !codes
  // include pack
  return %q, %scale : !pairs, !block_bits
}

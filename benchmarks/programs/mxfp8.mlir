//--- mxfp8: llama, then f8E4M3FN with one power of two for 32 elements
// The scale of a block, f8E8M0, is the exponent of its largest magnitude less that of the
// format's largest number, 2^8; numbers beyond 448 saturate.
// include types
// include block-types
!bits = tensor<$rowsx$colsxf8E4M3FN>
!bits_blocks = tensor<$rowsx$blocksx$blockxf8E4M3FN>
func.func @main(%x: !x, %w: !col) -> (!bits, !block_bits) {
  // include rows
  // include llama-norm
  // include widen %x=%weighted
  // include largest-of-blocks %y=%weighted
  %scale.init = tensor.empty($size) : !block_bits
  %scale = linalg.generic #per_block ins(%top : !block) outs(%scale.init : !block_bits) {
  ^bb0(%a: f32, %o: i8):
    %i = arith.bitcast %a : f32 to i32
    %c23 = arith.constant 23 : i32
    %e = arith.shrui %i, %c23 : i32
    %c8 = arith.constant 8 : i32
    %d = arith.subi %e, %c8 : i32
    %c0 = arith.constant 0 : i32
    %k = arith.maxsi %d, %c0 : i32
    %v = arith.trunci %k : i32 to i8
    linalg.yield %v : i8
  } -> !block_bits
  %factor.init = tensor.empty($size) : !block
  %factor = linalg.generic #per_block ins(%scale : !block_bits) outs(%factor.init : !block) {
  ^bb0(%a: i8, %o: f32):
    %e = arith.extui %a : i8 to i32
    %c254 = arith.constant 254 : i32
    %d = arith.subi %c254, %e : i32
    %c23 = arith.constant 23 : i32
    %i = arith.shli %d, %c23 : i32
    %v = arith.bitcast %i : i32 to f32
    linalg.yield %v : f32
  } -> !block
  %q.init = tensor.empty($size) : !bits_blocks
  %q = linalg.generic #with_block ins(%blocks, %factor : !wide_blocks, !block) outs(%q.init : !bits_blocks) {
  ^bb0(%a: f32, %b: f32, %o: f8E4M3FN):
    %d = arith.mulf %a, %b : f32
    // include clamp $most=448.0
    %v = arith.truncf %k : f32 to f8E4M3FN
    linalg.yield %v : f8E4M3FN
  } -> !bits_blocks
  %q_row = tensor.collapse_shape %q [[0], [1, 2]] : !bits_blocks into !bits
  return %q_row, %scale : !bits, !block_bits
}

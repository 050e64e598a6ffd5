// The programs of norm-bench are these parts and the files beside this one.
//
// norm-bench prints a variant, a file with "//--- name: summary", with what it includes:
// "// include part %x=%h" puts the lines of a part there, with the name %x replaced by %h.
// A part with "if 16 bits" is left out for f32, one with "if dynamic" for known rows.
// Variables of MLIR's syntax are:
//
//   $rows $cols $type   the shape, "?" for any rows, and the type of x
//   $size $extent       %rows if the rows are dynamic; else nothing, or their number
//   $n                  how many numbers are normalized together, or the length of a head
//   $half               half of a row, or of a head
//   $heads $blocks $block  the heads of a row, its blocks, and the length of a block
//   %v$32 %v$16         the name of v widened to f32, or rounded; that of v itself for f32

//--- types
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#vec = affine_map<(d0) -> (d0)>
#unary = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
#binary = {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
#with_row = {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
#with_col = {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
#along_row = {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
#per_row = {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]}
#per_col = #per_row
!x = tensor<$rowsx$colsx$type>
!wide = tensor<$rowsx$colsxf32>
!row = tensor<$rowsxf32>
!col = tensor<$colsx$type>
!wide_col = tensor<$colsxf32>

//--- transpose-x
  %x.empty = tensor.empty() : !x
  %x = linalg.transpose ins(%turned : tensor<$colsx$rowsx$type>) outs(%x.empty : !x) permutation = [1, 0]

//--- head-types
// A row is that of one head; a table has one row for all heads.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#col = affine_map<(d0, d1, d2) -> (d2)>
#table = affine_map<(d0, d1, d2) -> (d0, d2)>
#vec = affine_map<(d0, d1) -> (d0, d1)>
#unary = {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
#binary = {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
#with_row = {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
#with_col = {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]}
#with_table = {indexing_maps = [#id, #table, #id], iterator_types = ["parallel", "parallel", "parallel"]}
#along_row = {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
#per_row = {indexing_maps = [#vec, #vec], iterator_types = ["parallel", "parallel"]}
!x = tensor<$rowsx$headsx$nx$type>
!wide = tensor<$rowsx$headsx$nxf32>
!row = tensor<$rowsx$headsxf32>
!col = tensor<$nx$type>
!half = tensor<$rowsx$headsx$halfx$type>
!table = tensor<$rowsx$nx$type>

//--- block-types
#element = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0, d1)>
#unary_blocks = {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel"]}
#with_block = {indexing_maps = [#element, #block, #element], iterator_types = ["parallel", "parallel", "parallel"]}
#along_block = {indexing_maps = [#element, #block], iterator_types = ["parallel", "parallel", "reduction"]}
#per_block = {indexing_maps = [#blocks, #blocks], iterator_types = ["parallel", "parallel"]}
!wide_blocks = tensor<$rowsx$blocksx$blockxf32>
!block = tensor<$rowsx$blocksxf32>
!block_bits = tensor<$rowsx$blocksxi8>

//--- rows if dynamic
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : !x

//--- widen if 16 bits
  %x$32.init = tensor.empty($size) : !wide
  %x$32 = linalg.generic #unary ins(%x : !x) outs(%x$32.init : !wide) {
  ^bb0(%a: $type, %o: f32):
    %v = arith.extf %a : $type to f32
    linalg.yield %v : f32
  } -> !wide

//--- narrow if 16 bits
  %y$16.init = tensor.empty($size) : !x
  %y$16 = linalg.generic #unary ins(%y : !wide) outs(%y$16.init : !x) {
  ^bb0(%a: f32, %o: $type):
    %v = arith.truncf %a : f32 to $type
    linalg.yield %v : $type
  } -> !x

//--- extend if 16 bits
    %a$32 = arith.extf %a : $type to f32

//--- round if 16 bits
    %v$16 = arith.truncf %v : f32 to $type

//--- add
  %sum.init = tensor.empty($size) : !x
  %sum = linalg.generic #binary ins(%x, %y : !x, !x) outs(%sum.init : !x) {
  ^bb0(%a: $type, %b: $type, %o: $type):
    %v = arith.addf %a, %b : $type
    linalg.yield %v : $type
  } -> !x

//--- inverse-root
  %inv.init = tensor.empty($size) : !row
  %inv = linalg.generic #per_row ins(%sum : !row) outs(%inv.init : !row) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.constant $n.0 : f32
    %m = arith.divf %a, %n : f32
    %eps = arith.constant 1.0e-6 : f32
    %t = arith.addf %m, %eps : f32
    %v = math.rsqrt %t : f32
    linalg.yield %v : f32
  } -> !row

//--- mean
  %mean.init = tensor.empty($size) : !row
  %mean = linalg.generic #per_row ins(%total : !row) outs(%mean.init : !row) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.constant $n.0 : f32
    %v = arith.divf %a, %n : f32
    linalg.yield %v : f32
  } -> !row

//--- zeros
  %sum.start = arith.constant 0.0 : f32
  %sum.init = tensor.empty($size) : !row
  %sum.fill = linalg.fill ins(%sum.start : f32) outs(%sum.init : !row) -> !row

//--- sum
  // include zeros
  %sum = linalg.generic #along_row ins(%x : !wide) outs(%sum.fill : !row) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> !row

//--- square
  %square.init = tensor.empty($size) : !wide
  %square = linalg.generic #unary ins(%x : !wide) outs(%square.init : !wide) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> !wide

//--- with-row
  %y.init = tensor.empty($size) : !wide
  %y = linalg.generic #with_row ins(%x, %r : !wide, !row) outs(%y.init : !wide) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.$op %a, %b : f32
    linalg.yield %v : f32
  } -> !wide

//--- normalize
  // include square %x=%wide
  // include sum %x=%square
  // include inverse-root
  // include with-row %x=%wide %r=%inv %y=%normalized $op=mulf

//--- norm
  // include widen
  // include normalize %wide=%x$32

//--- weigh
  // include narrow %y=%normalized
  %weighted.init = tensor.empty($size) : !x
  %weighted = linalg.generic #with_col ins(%normalized$16, %w : !x, !col) outs(%weighted.init : !x) {
  ^bb0(%a: $type, %b: $type, %o: $type):
    %v = arith.mulf %a, %b : $type
    linalg.yield %v : $type
  } -> !x

//--- llama-norm
  // include norm
  // include weigh

//--- multiply-silu
  // x * silu(z) in f32
  // include widen %x=%z
  // include widen
  %gated.init = tensor.empty($size) : !wide
  %gated = linalg.generic #binary ins(%x$32, %z$32 : !wide, !wide) outs(%gated.init : !wide) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %b : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %b, %d : f32
    %v = arith.mulf %a, %s : f32
    linalg.yield %v : f32
  } -> !wide

//--- modulate
  // x * (1 + scale) + shift
  %offset.init = tensor.empty() : !col
  %offset = linalg.generic #per_col ins(%scale : !col) outs(%offset.init : !col) {
  ^bb0(%a: $type, %o: $type):
    %one = arith.constant 1.0 : $type
    %v = arith.addf %a, %one : $type
    linalg.yield %v : $type
  } -> !col
  %scaled.init = tensor.empty($size) : !x
  %scaled = linalg.generic #with_col ins(%x, %offset : !x, !col) outs(%scaled.init : !x) {
  ^bb0(%a: $type, %b: $type, %o: $type):
    %v = arith.mulf %a, %b : $type
    linalg.yield %v : $type
  } -> !x
  // include add-columns %x=%scaled %bias=%shift

//--- add-columns
  %y.init = tensor.empty($size) : !x
  %y = linalg.generic #with_col ins(%x, %bias : !x, !col) outs(%y.init : !x) {
  ^bb0(%a: $type, %b: $type, %o: $type):
    %v = arith.addf %a, %b : $type
    linalg.yield %v : $type
  } -> !x

//--- largest
  %magnitude.init = tensor.empty($size) : !wide
  %magnitude = linalg.generic #unary ins(%x : !wide) outs(%magnitude.init : !wide) {
  ^bb0(%a: f32, %o: f32):
    %v = math.absf %a : f32
    linalg.yield %v : f32
  } -> !wide
  // include zeros %sum=%top
  %top = linalg.generic #along_row ins(%magnitude : !wide) outs(%top.fill : !row) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  } -> !row

//--- largest-of-blocks
  %blocks = tensor.expand_shape %y$32 [[0], [1, 2]] output_shape [$extent, $blocks, $block] : !wide into !wide_blocks
  // include largest %x=%blocks !wide=!wide_blocks !row=!block #unary=#unary_blocks #along_row=#along_block

//--- row-scale
  // include largest %x=%y$32
  %scale.init = tensor.empty($size) : !row
  %scale = linalg.generic #per_row ins(%top : !row) outs(%scale.init : !row) {
  ^bb0(%a: f32, %o: f32):
    %most = arith.constant $most : f32
    %d = arith.divf %a, %most : f32
    %least = arith.constant 1.0e-30 : f32
    %v = arith.maximumf %d, %least : f32
    linalg.yield %v : f32
  } -> !row

//--- pack
  // Two neighbors in a byte, the first one in the low bits.
  %codes_row = tensor.collapse_shape %codes [[0], [1, 2]] : tensor<$rowsx$blocksx$blockxi8> into tensor<$rowsx$colsxi8>
  %low = tensor.extract_slice %codes_row[0, 0] [$extent, $half] [1, 2] : tensor<$rowsx$colsxi8> to !pairs
  %high = tensor.extract_slice %codes_row[0, 1] [$extent, $half] [1, 2] : tensor<$rowsx$colsxi8> to !pairs
  %q.init = tensor.empty($size) : !pairs
  %q = linalg.generic #binary ins(%low, %high : !pairs, !pairs) outs(%q.init : !pairs) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %c4 = arith.constant 4 : i8
    %h = arith.shli %b, %c4 : i8
    %v = arith.ori %a, %h : i8
    linalg.yield %v : i8
  } -> !pairs

//--- clamp
    %most = arith.constant $most : f32
    %u = arith.minimumf %d, %most : f32
    %least = arith.constant -$most : f32
    %k = arith.maximumf %u, %least : f32

//--- gradient-factors
  // With z = x * r, r = 1 / sqrt(mean(x^2) + eps) and g = dy * w, the gradients
  // r * (g - z * mean(z * g)) of x and sum(dy * z) of w: few ops of many operands, as
  // norm ops are decomposed.
  // include zeros %sum=%squares
  %squares = linalg.generic #along_row ins(%x : !x) outs(%squares.fill : !row) {
  ^bb0(%a: $type, %o: f32):
    // include extend
    %q = arith.mulf %a$32, %a$32 : f32
    %v = arith.addf %q, %o : f32
    linalg.yield %v : f32
  } -> !row
  // include inverse-root %sum=%squares
  // include zeros %sum=%dot
  %dot = linalg.generic {indexing_maps = [#id, #row, #id, #col, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %inv, %dy, %w : !x, !row, !x, !col) outs(%dot.fill : !row) {
  ^bb0(%a: $type, %b: f32, %c: $type, %d: $type, %o: f32):
    // include extend
    // include extend %a=%c
    // include extend %a=%d
    %z = arith.mulf %a$32, %b : f32
    %g = arith.mulf %c$32, %d$32 : f32
    %p = arith.mulf %z, %g : f32
    %v = arith.addf %p, %o : f32
    linalg.yield %v : f32
  } -> !row
  // include mean %total=%dot

//--- gradient-of-weight
  // include zeros !row=!wide_col $size=
  %sum = linalg.generic {indexing_maps = [#id, #row, #id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x, %inv, %dy : !x, !row, !x) outs(%sum.fill : !wide_col) {
  ^bb0(%a: $type, %b: f32, %c: $type, %o: f32):
    // include extend
    // include extend %a=%c
    %z = arith.mulf %a$32, %b : f32
    %v = arith.mulf %c$32, %z : f32
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> !wide_col
  // include narrow %y=%sum !x=!col !wide=!wide_col #unary=#per_col $size=

//--- gradient-terms
    // include extend
    // include extend %a=%c
    // include extend %a=%d
    %z = arith.mulf %a$32, %b : f32
    %g = arith.mulf %c$32, %d$32 : f32
    %t = arith.mulf %z, %e : f32
    %u = arith.subf %g, %t : f32

//--- negate
  %minus.init = tensor.empty($size) : !half
  %minus = linalg.generic #unary ins(%second : !half) outs(%minus.init : !half) {
  ^bb0(%a: $type, %o: $type):
    %v = arith.negf %a : $type
    linalg.yield %v : $type
  } -> !half

//--- by-table
  %y.init = tensor.empty($size) : !x
  %y = linalg.generic #with_table ins(%x, %table : !x, !table) outs(%y.init : !x) {
  ^bb0(%a: $type, %b: $type, %o: $type):
    %v = arith.mulf %a, %b : $type
    linalg.yield %v : $type
  } -> !x

//--- rotate
  // n * cos + (-n1, n0) * sin
  // include by-table %x=%weighted %table=%cos %y=%straight
  // include by-table %x=%turned %table=%sin %y=%crossed
  // include add %sum=%rotated %x=%straight %y=%crossed

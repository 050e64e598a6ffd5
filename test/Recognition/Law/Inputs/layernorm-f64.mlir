// LayerNorm as an op might decompose whose variance is computed in f64, as
// torch-mlir does it.
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
!x = tensor<?x?xf32>
!r = tensor<?xf32>
!d = tensor<?xf64>

func.func @normalize(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = tensor.dim %x, %c0 : !x
  %cols = tensor.dim %x, %c1 : !x
  %cols_i = arith.index_cast %cols : index to i64
  %n = arith.sitofp %cols_i : i64 to f32
  %e = tensor.empty(%rows) : !r
  %init = linalg.fill ins(%zero : f32) outs(%e : !r) -> !r
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%init : !r) {
  ^bb0(%in: f32, %acc: f32):
    %next = arith.addf %in, %acc : f32
    linalg.yield %next : f32
  } -> !r
  %zero_d = arith.constant 0.0 : f64
  %n_d = arith.sitofp %cols_i : i64 to f64
  %e_d = tensor.empty(%rows) : !d
  %init_d = linalg.fill ins(%zero_d : f64) outs(%e_d : !d) -> !d
  %sum_d = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%init_d : !d) {
  ^bb0(%in: f32, %acc: f64):
    %wide = arith.extf %in : f32 to f64
    %next = arith.addf %wide, %acc : f64
    linalg.yield %next : f64
  } -> !d
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum_d : !x, !d) outs(%init_d : !d) {
  ^bb0(%in: f32, %s: f64, %acc: f64):
    %wide = arith.extf %in : f32 to f64
    %mean = arith.divf %s, %n_d : f64
    %centered = arith.subf %wide, %mean : f64
    %square = arith.mulf %centered, %centered : f64
    %next = arith.addf %square, %acc : f64
    linalg.yield %next : f64
  } -> !d
  %out = tensor.empty(%rows, %cols) : !x
  %z = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares : !x, !r, !d) outs(%out : !x) {
  ^bb0(%in: f32, %s: f32, %q: f64, %o: f32):
    %mean = arith.divf %s, %n : f32
    %centered = arith.subf %in, %mean : f32
    %wide = arith.divf %q, %n_d : f64
    %variance = arith.truncf %wide : f64 to f32
    %v = arith.addf %variance, %eps : f32
    %r = math.rsqrt %v : f32
    %y = arith.mulf %centered, %r : f32
    linalg.yield %y : f32
  } -> !x
  return %z : !x
}

func.func @scale(%x: !x, %w: !r) -> !x {
  %z = call @normalize(%x) : (!x) -> !x
  %y = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z, %w : !x, !r) outs(%z : !x) {
  ^bb0(%in: f32, %g: f32, %o: f32):
    %p = arith.mulf %in, %g : f32
    linalg.yield %p : f32
  } -> !x
  return %y : !x
}

func.func @layer_norm(%x: !x, %w: !r, %b: !r) -> !x {
  %z = call @scale(%x, %w) : (!x, !r) -> !x
  %y = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z, %b : !x, !r) outs(%z : !x) {
  ^bb0(%in: f32, %g: f32, %o: f32):
    %p = arith.addf %in, %g : f32
    linalg.yield %p : f32
  } -> !x
  return %y : !x
}

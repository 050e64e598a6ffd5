// Programs where zeros' signs, NaN and infinities show: found by this test, or near
// what was.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

func.func @copy(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// A sum of -0 alone that starts from -0 is -0.
func.func @sum(%x: tensor<4x100xf32>) -> tensor<4xf32> {
  %zero = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x100xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Both maxima of each row, and of the magnitudes of 16 bits.
func.func @maxima(%x: tensor<4x70xf32>, %h: tensor<4x70xbf16>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>) {
  %low = arith.constant 0xFF800000 : f32
  %lowh = arith.constant 0xFF80 : bf16
  %e = tensor.empty() : tensor<4xf32>
  %eh = tensor.empty() : tensor<4xbf16>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %fh = linalg.fill ins(%lowh : bf16) outs(%eh : tensor<4xbf16>) -> tensor<4xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x70xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x70xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maxnumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<4x70xbf16>) outs(%fh : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %b = math.absf %a : bf16
    %s = arith.maximumf %b, %o : bf16
    linalg.yield %s : bf16
  } -> tensor<4xbf16>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>
}

// Functions of vectors, of scalars and of f64 beside each other.
func.func @functions(%x: tensor<3x70xf32>, %d: tensor<3x5xf64>)
    -> (tensor<3x70xf32>, tensor<3x5xf64>) {
  %e = tensor.empty() : tensor<3x70xf32>
  %ed = tensor.empty() : tensor<3x5xf64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x70xf32>) outs(%e : tensor<3x70xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.expm1 %a : f32
    %2 = math.tanh %1 : f32
    %3 = math.erf %2 : f32
    %4 = math.log1p %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x70xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<3x5xf64>) outs(%ed : tensor<3x5xf64>) {
  ^bb0(%a: f64, %o: f64):
    %6 = math.expm1 %a : f64
    %7 = math.log1p %6 : f64
    linalg.yield %7 : f64
  } -> tensor<3x5xf64>
  return %0, %5 : tensor<3x70xf32>, tensor<3x5xf64>
}

// Selections and comparisons by every rule for NaN.
func.func @selections(%x: tensor<4x70xf32>, %y: tensor<4x70xf32>)
    -> (tensor<4x70xf32>, tensor<4x70xf32>) {
  %e = tensor.empty() : tensor<4x70xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x70xf32>, tensor<4x70xf32>)
      outs(%e, %e : tensor<4x70xf32>, tensor<4x70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %ogt = arith.cmpf ogt, %a, %b : f32
    %une = arith.cmpf une, %a, %b : f32
    %1 = arith.select %ogt, %a, %b : f32
    %2 = arith.minimumf %1, %a : f32
    %3 = arith.minnumf %2, %b : f32
    %4 = arith.select %une, %3, %b : f32
    %5 = arith.subf %a, %b : f32
    %6 = math.copysign %5, %4 : f32
    linalg.yield %4, %6 : f32, f32
  } -> (tensor<4x70xf32>, tensor<4x70xf32>)
  return %0#0, %0#1 : tensor<4x70xf32>, tensor<4x70xf32>
}

// Quantized by row: a last bit may flip a rounding, nothing else.
func.func @quantize(%x: tensor<4x70xf32>, %scale: tensor<4xf32>) -> tensor<4x70xi8> {
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<4x70xi8>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : tensor<4x70xf32>, tensor<4xf32>) outs(%e : tensor<4x70xi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %1 = arith.divf %a, %s : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<4x70xi8>
  return %0 : tensor<4x70xi8>
}

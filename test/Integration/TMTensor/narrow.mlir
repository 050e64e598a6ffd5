// Elements that norm-run has no files of: bf16, f16, i1, complex.
// RUN: norm-run %s --max-ulp=0 --function=sort --input=6xf32=2,nan,-1,inf,2,-inf --expected-output=6xf32=nan,inf,2,2,-1,-inf
// RUN: norm-run %s --max-ulp=0 --function=scan --input=4xf32=256,1,1,1 --expected-output=4xf32=256,256,256,256
// RUN: norm-run %s --max-ulp=0 --function=topk --input=2x5xf32=3,nan,1,inf,3,0,-0.0,5,-1,5 --expected-output=2x3xf32=1,3,3,-1,0,-0.0 --expected-output=2x3xi64=2,0,4,3,0,1
// RUN: norm-run %s --max-ulp=0 --function=mask --input=3xi1=1,0,1 --input=3x1xi64=0,3,1 --input=5xi1=0,0,0,1,1 --expected-output=5xi1=1,1,0,0,1
// RUN: norm-run %s --max-ulp=0 --function=product --input=3xf32=1,0,2 --input=3xf32=1,1,0 --expected-output=3xf32=1,-1,-2 --expected-output=3xf32=1,1,2
// RUN: norm-run %s --max-ulp=0 --function=mask --pipeline=simt --input=3xi1=1,0,1 --input=3x1xi64=0,3,1 --input=5xi1=0,0,0,1,1 --expected-output=5xi1=1,1,0,0,1
// RUN: not norm-run %s --max-ulp=0 --function=mask --input=3xi1=1,0,1 --input=3x1xi64=0,3,1 --input=5xi1=0,0,0,1,1 --expected-output=5xi1=1,1,0,1,1

func.func @sort(%w: tensor<6xf32>) -> tensor<6xf32> {
  %x = arith.truncf %w : tensor<6xf32> to tensor<6xbf16>
  %s = tm_tensor.sort dimension(0) outs(%x : tensor<6xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.cmpf oge, %a, %b : bf16
    tm_tensor.yield %c : i1
  } -> tensor<6xbf16>
  %r = arith.extf %s : tensor<6xbf16> to tensor<6xf32>
  return %r : tensor<6xf32>
}

// The sum is rounded at each element, as the region says.
func.func @scan(%w: tensor<4xf32>) -> tensor<4xf32> {
  %x = arith.truncf %w : tensor<4xf32> to tensor<4xbf16>
  %e = tensor.empty() : tensor<4xbf16>
  %a = tensor.empty() : tensor<bf16>
  %s:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<4xbf16>) outs(%e, %a : tensor<4xbf16>, tensor<bf16>) {
  ^bb0(%p: bf16, %q: bf16):
    %t = arith.addf %p, %q : bf16
    tm_tensor.yield %t : bf16
  } -> tensor<4xbf16>, tensor<bf16>
  %r = arith.extf %s#0 : tensor<4xbf16> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// Indices are i64 here, and given.
func.func @topk(%w: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %x = arith.truncf %w : tensor<2x5xf32> to tensor<2x5xf16>
  %inf = arith.constant 0x7C00 : f16
  %none = arith.constant -1 : i64
  %ev = tensor.empty() : tensor<2x3xf16>
  %ei = tensor.empty() : tensor<2x3xi64>
  %v = linalg.fill ins(%inf : f16) outs(%ev : tensor<2x3xf16>) -> tensor<2x3xf16>
  %i = linalg.fill ins(%none : i64) outs(%ei : tensor<2x3xi64>) -> tensor<2x3xi64>
  %places = tensor.generate {
  ^bb0(%row: index, %column: index):
    %p = arith.index_cast %column : index to i64
    tensor.yield %p : i64
  } : tensor<2x5xi64>
  %r:2 = tm_tensor.topk dimension(1) ins(%x, %places : tensor<2x5xf16>, tensor<2x5xi64>) outs(%v, %i : tensor<2x3xf16>, tensor<2x3xi64>) {
  ^bb0(%a: f16, %b: f16):
    %c = arith.cmpf olt, %a, %b : f16
    tm_tensor.yield %c : i1
  } -> tensor<2x3xf16>, tensor<2x3xi64>
  %s = arith.extf %r#0 : tensor<2x3xf16> to tensor<2x3xf32>
  return %s, %r#1 : tensor<2x3xf32>, tensor<2x3xi64>
}

func.func @mask(%u: tensor<3xi1>, %i: tensor<3x1xi64>, %o: tensor<5xi1>) -> tensor<5xi1> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<3xi1>, tensor<3x1xi64>) outs(%o : tensor<5xi1>) {
  ^bb0(%n: i1, %e: i1):
    tm_tensor.yield %n : i1
  } -> tensor<5xi1>
  return %r : tensor<5xi1>
}

// (1 + i), times i, times 2.
#id = affine_map<(d0) -> (d0)>
func.func @product(%re: tensor<3xf32>, %im: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3xcomplex<f32>>
  %a = tensor.empty() : tensor<complex<f32>>
  %f = tensor.empty() : tensor<3xf32>
  %x = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%re, %im : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xcomplex<f32>>) {
  ^bb0(%r: f32, %i: f32, %o: complex<f32>):
    %c = complex.create %r, %i : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<3xcomplex<f32>>
  %s:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<3xcomplex<f32>>) outs(%e, %a : tensor<3xcomplex<f32>>, tensor<complex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>):
    %t = complex.mul %p, %q : complex<f32>
    tm_tensor.yield %t : complex<f32>
  } -> tensor<3xcomplex<f32>>, tensor<complex<f32>>
  %y:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%s#0 : tensor<3xcomplex<f32>>) outs(%f, %f : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%c: complex<f32>, %o: f32, %u: f32):
    %r = complex.re %c : complex<f32>
    %i = complex.im %c : complex<f32>
    linalg.yield %r, %i : f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>)
  return %y#0, %y#1 : tensor<3xf32>, tensor<3xf32>
}

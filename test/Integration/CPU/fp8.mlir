// f32 to f8E4M3FN and f8E5M2 and back: every code, every tie and the f32 numbers
// beside it, all f16 values, infinities, NaN.
// RUN: %python %S/fp8.py write %t
// RUN: norm-run %s --function=e4m3 --input=@%t.x.npy --output=@%t.e4m3.npy
// RUN: norm-run %s --function=e5m2 --input=@%t.x.npy --output=@%t.e5m2.npy
// RUN: norm-run %s --function=e4m3_wide --input=@%t.codes.npy --output=@%t.e4m3.wide.npy
// RUN: norm-run %s --function=e5m2_wide --input=@%t.codes.npy --output=@%t.e5m2.wide.npy
// RUN: %python %S/fp8.py check %t | FileCheck %s
// CHECK: e4m3: {{[0-9]+}} roundings right, 256 codes right
// CHECK: e5m2: {{[0-9]+}} roundings right, 256 codes right

#id = affine_map<(d0, d1) -> (d0, d1)>
#vec = affine_map<(d0) -> (d0)>

func.func @e4m3(%x: tensor<?x1024xf32>) -> tensor<?x1024xi8> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %i = tensor.empty(%m) : tensor<?x1024xi8>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xf32>) outs(%i : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %q = arith.truncf %a : f32 to f8E4M3FN
    %b = arith.bitcast %q : f8E4M3FN to i8
    linalg.yield %b : i8
  } -> tensor<?x1024xi8>
  return %r : tensor<?x1024xi8>
}

func.func @e5m2(%x: tensor<?x1024xf32>) -> tensor<?x1024xi8> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %i = tensor.empty(%m) : tensor<?x1024xi8>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xf32>) outs(%i : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %q = arith.truncf %a : f32 to f8E5M2
    %b = arith.bitcast %q : f8E5M2 to i8
    linalg.yield %b : i8
  } -> tensor<?x1024xi8>
  return %r : tensor<?x1024xi8>
}

func.func @e4m3_wide(%x: tensor<256xi8>) -> tensor<256xf32> {
  %i = tensor.empty() : tensor<256xf32>
  %r = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%x : tensor<256xi8>) outs(%i : tensor<256xf32>) {
  ^bb0(%a: i8, %o: f32):
    %q = arith.bitcast %a : i8 to f8E4M3FN
    %b = arith.extf %q : f8E4M3FN to f32
    linalg.yield %b : f32
  } -> tensor<256xf32>
  return %r : tensor<256xf32>
}

func.func @e5m2_wide(%x: tensor<256xi8>) -> tensor<256xf32> {
  %i = tensor.empty() : tensor<256xf32>
  %r = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%x : tensor<256xi8>) outs(%i : tensor<256xf32>) {
  ^bb0(%a: i8, %o: f32):
    %q = arith.bitcast %a : i8 to f8E5M2
    %b = arith.extf %q : f8E5M2 to f32
    linalg.yield %b : f32
  } -> tensor<256xf32>
  return %r : tensor<256xf32>
}

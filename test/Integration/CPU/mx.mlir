// Conversions of E2M1 and E8M0 and the scaling ops: every code, every tie, the floats beside
// each, all numbers of bf16 and f16, and special values, against an encoder in Python.
// RUN: %python %S/mx.py write %t
// RUN: norm-run %s --function=round --input=@%t.x.npy --output=@%t.e2m1_of_f32.npy --output=@%t.e8m0_nearest.npy --output=@%t.e8m0_toward_zero.npy --output=@%t.e8m0_upward.npy
// RUN: norm-run %s --function=round_halves --input=@%t.halves.npy --output=@%t.e2m1_of_bf16.npy --output=@%t.e2m1_of_f16.npy
// RUN: norm-run %s --function=widen --input=@%t.codes.npy --output=@%t.f32_of_e2m1.npy --output=@%t.f64_of_e2m1.npy --output=@%t.f16_of_e2m1.npy --output=@%t.bf16_of_e2m1.npy --output=@%t.f32_of_e8m0.npy --output=@%t.f64_of_e8m0.npy --output=@%t.f16_of_e8m0.npy --output=@%t.bf16_of_e8m0.npy
// RUN: norm-run %s --function=widen_scaled --input=@%t.elements.npy --input=@%t.scales_of_elements.npy --output=@%t.f32_of_scaled.npy --output=@%t.f64_of_scaled.npy --output=@%t.f16_of_scaled.npy --output=@%t.bf16_of_scaled.npy
// RUN: norm-run %s --function=scale --input=@%t.scaled.npy --input=@%t.scales.npy --output=@%t.scaled_f32.npy
// RUN: norm-run %s --function=scale_halves --input=@%t.halves.npy --input=@%t.half_scales.npy --output=@%t.scaled_f16.npy
// RUN: norm-run %s --function=scale_by_exponent --input=@%t.scaled.npy --input=@%t.wide_scales.npy --output=@%t.scaled_by_f32.npy
// RUN: %python %S/mx.py check %t | FileCheck %s --implicit-check-not=WRONG
// CHECK: e2m1_of_f32: {{[0-9]+}} right
// CHECK: e8m0_nearest: {{[0-9]+}} right
// CHECK: e8m0_toward_zero: {{[0-9]+}} right
// CHECK: e8m0_upward: {{[0-9]+}} right
// CHECK: e2m1_of_bf16: {{[0-9]+}} right
// CHECK: e2m1_of_f16: {{[0-9]+}} right
// CHECK: f32_of_e2m1: {{[0-9]+}} right
// CHECK: f64_of_e2m1: {{[0-9]+}} right
// CHECK: f16_of_e2m1: {{[0-9]+}} right
// CHECK: bf16_of_e2m1: {{[0-9]+}} right
// CHECK: f32_of_e8m0: {{[0-9]+}} right
// CHECK: f64_of_e8m0: {{[0-9]+}} right
// CHECK: f16_of_e8m0: {{[0-9]+}} right
// CHECK: bf16_of_e8m0: {{[0-9]+}} right
// CHECK: f32_of_scaled: {{[0-9]+}} right
// CHECK: f64_of_scaled: {{[0-9]+}} right
// CHECK: f16_of_scaled: {{[0-9]+}} right
// CHECK: bf16_of_scaled: {{[0-9]+}} right
// CHECK: scaled_f32: {{[0-9]+}} right
// CHECK: scaled_f16: {{[0-9]+}} right
// CHECK: scaled_by_f32: {{[0-9]+}} right

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @round(%x: tensor<?x1024xf32>) -> (tensor<?x1024xi8>, tensor<?x1024xi8>, tensor<?x1024xi8>, tensor<?x1024xi8>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %e0 = tensor.empty(%m) : tensor<?x1024xi8>
  %r0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xf32>) outs(%e0 : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %q = arith.truncf %a : f32 to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  %e1 = tensor.empty(%m) : tensor<?x1024xi8>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xf32>) outs(%e1 : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %q = arith.truncf %a : f32 to f8E8M0FNU
    %v = arith.bitcast %q : f8E8M0FNU to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  %e2 = tensor.empty(%m) : tensor<?x1024xi8>
  %r2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xf32>) outs(%e2 : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %q = arith.truncf %a toward_zero : f32 to f8E8M0FNU
    %v = arith.bitcast %q : f8E8M0FNU to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  %e3 = tensor.empty(%m) : tensor<?x1024xi8>
  %r3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xf32>) outs(%e3 : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %q = arith.truncf %a upward : f32 to f8E8M0FNU
    %v = arith.bitcast %q : f8E8M0FNU to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  return %r0, %r1, %r2, %r3 : tensor<?x1024xi8>, tensor<?x1024xi8>, tensor<?x1024xi8>, tensor<?x1024xi8>
}

func.func @round_halves(%x: tensor<?x1024xi16>) -> (tensor<?x1024xi8>, tensor<?x1024xi8>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xi16>
  %e0 = tensor.empty(%m) : tensor<?x1024xi8>
  %r0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi16>) outs(%e0 : tensor<?x1024xi8>) {
  ^bb0(%a: i16, %o: i8):
    %w = arith.bitcast %a : i16 to bf16
    %q = arith.truncf %w : bf16 to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  %e1 = tensor.empty(%m) : tensor<?x1024xi8>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi16>) outs(%e1 : tensor<?x1024xi8>) {
  ^bb0(%a: i16, %o: i8):
    %w = arith.bitcast %a : i16 to f16
    %q = arith.truncf %w : f16 to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  return %r0, %r1 : tensor<?x1024xi8>, tensor<?x1024xi8>
}

func.func @widen(%x: tensor<?x1024xi8>) -> (tensor<?x1024xf32>, tensor<?x1024xf64>, tensor<?x1024xi16>, tensor<?x1024xi16>, tensor<?x1024xf32>, tensor<?x1024xf64>, tensor<?x1024xi16>, tensor<?x1024xi16>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xi8>
  %e0 = tensor.empty(%m) : tensor<?x1024xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e0 : tensor<?x1024xf32>) {
  ^bb0(%a: i8, %o: f32):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %v = arith.extf %q : f4E2M1FN to f32
    linalg.yield %v : f32
  } -> tensor<?x1024xf32>
  %e1 = tensor.empty(%m) : tensor<?x1024xf64>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e1 : tensor<?x1024xf64>) {
  ^bb0(%a: i8, %o: f64):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %v = arith.extf %q : f4E2M1FN to f64
    linalg.yield %v : f64
  } -> tensor<?x1024xf64>
  %e2 = tensor.empty(%m) : tensor<?x1024xi16>
  %r2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e2 : tensor<?x1024xi16>) {
  ^bb0(%a: i8, %o: i16):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %w = arith.extf %q : f4E2M1FN to f16
    %v = arith.bitcast %w : f16 to i16
    linalg.yield %v : i16
  } -> tensor<?x1024xi16>
  %e3 = tensor.empty(%m) : tensor<?x1024xi16>
  %r3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e3 : tensor<?x1024xi16>) {
  ^bb0(%a: i8, %o: i16):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %w = arith.extf %q : f4E2M1FN to bf16
    %v = arith.bitcast %w : bf16 to i16
    linalg.yield %v : i16
  } -> tensor<?x1024xi16>
  %e4 = tensor.empty(%m) : tensor<?x1024xf32>
  %r4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e4 : tensor<?x1024xf32>) {
  ^bb0(%a: i8, %o: f32):
    %q = arith.bitcast %a : i8 to f8E8M0FNU
    %v = arith.extf %q : f8E8M0FNU to f32
    linalg.yield %v : f32
  } -> tensor<?x1024xf32>
  %e5 = tensor.empty(%m) : tensor<?x1024xf64>
  %r5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e5 : tensor<?x1024xf64>) {
  ^bb0(%a: i8, %o: f64):
    %q = arith.bitcast %a : i8 to f8E8M0FNU
    %v = arith.extf %q : f8E8M0FNU to f64
    linalg.yield %v : f64
  } -> tensor<?x1024xf64>
  %e6 = tensor.empty(%m) : tensor<?x1024xi16>
  %r6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e6 : tensor<?x1024xi16>) {
  ^bb0(%a: i8, %o: i16):
    %q = arith.bitcast %a : i8 to f8E8M0FNU
    %w = arith.extf %q : f8E8M0FNU to f16
    %v = arith.bitcast %w : f16 to i16
    linalg.yield %v : i16
  } -> tensor<?x1024xi16>
  %e7 = tensor.empty(%m) : tensor<?x1024xi16>
  %r7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x1024xi8>) outs(%e7 : tensor<?x1024xi16>) {
  ^bb0(%a: i8, %o: i16):
    %q = arith.bitcast %a : i8 to f8E8M0FNU
    %w = arith.extf %q : f8E8M0FNU to bf16
    %v = arith.bitcast %w : bf16 to i16
    linalg.yield %v : i16
  } -> tensor<?x1024xi16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<?x1024xf32>, tensor<?x1024xf64>, tensor<?x1024xi16>, tensor<?x1024xi16>, tensor<?x1024xf32>, tensor<?x1024xf64>, tensor<?x1024xi16>, tensor<?x1024xi16>
}

func.func @widen_scaled(%x: tensor<?x1024xi8>, %y: tensor<?x1024xi8>) -> (tensor<?x1024xf32>, tensor<?x1024xf64>, tensor<?x1024xi16>, tensor<?x1024xi16>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xi8>
  %e0 = tensor.empty(%m) : tensor<?x1024xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xi8>, tensor<?x1024xi8>) outs(%e0 : tensor<?x1024xf32>) {
  ^bb0(%a: i8, %b: i8, %o: f32):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %s = arith.bitcast %b : i8 to f8E8M0FNU
    %v = arith.scaling_extf %q, %s : f4E2M1FN, f8E8M0FNU to f32
    linalg.yield %v : f32
  } -> tensor<?x1024xf32>
  %e1 = tensor.empty(%m) : tensor<?x1024xf64>
  %r1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xi8>, tensor<?x1024xi8>) outs(%e1 : tensor<?x1024xf64>) {
  ^bb0(%a: i8, %b: i8, %o: f64):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %s = arith.bitcast %b : i8 to f8E8M0FNU
    %v = arith.scaling_extf %q, %s : f4E2M1FN, f8E8M0FNU to f64
    linalg.yield %v : f64
  } -> tensor<?x1024xf64>
  %e2 = tensor.empty(%m) : tensor<?x1024xi16>
  %r2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xi8>, tensor<?x1024xi8>) outs(%e2 : tensor<?x1024xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %s = arith.bitcast %b : i8 to f8E8M0FNU
    %w = arith.scaling_extf %q, %s : f4E2M1FN, f8E8M0FNU to f16
    %v = arith.bitcast %w : f16 to i16
    linalg.yield %v : i16
  } -> tensor<?x1024xi16>
  %e3 = tensor.empty(%m) : tensor<?x1024xi16>
  %r3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xi8>, tensor<?x1024xi8>) outs(%e3 : tensor<?x1024xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %n = arith.trunci %a : i8 to i4
    %q = arith.bitcast %n : i4 to f4E2M1FN
    %s = arith.bitcast %b : i8 to f8E8M0FNU
    %w = arith.scaling_extf %q, %s : f4E2M1FN, f8E8M0FNU to bf16
    %v = arith.bitcast %w : bf16 to i16
    linalg.yield %v : i16
  } -> tensor<?x1024xi16>
  return %r0, %r1, %r2, %r3 : tensor<?x1024xf32>, tensor<?x1024xf64>, tensor<?x1024xi16>, tensor<?x1024xi16>
}

func.func @scale(%x: tensor<?x1024xf32>, %y: tensor<?x1024xi8>) -> tensor<?x1024xi8> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %e0 = tensor.empty(%m) : tensor<?x1024xi8>
  %r0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xf32>, tensor<?x1024xi8>) outs(%e0 : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %b: i8, %o: i8):
    %s = arith.bitcast %b : i8 to f8E8M0FNU
    %q = arith.scaling_truncf %a, %s : f32, f8E8M0FNU to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  return %r0 : tensor<?x1024xi8>
}

func.func @scale_halves(%x: tensor<?x1024xi16>, %y: tensor<?x1024xi8>) -> tensor<?x1024xi8> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xi16>
  %e0 = tensor.empty(%m) : tensor<?x1024xi8>
  %r0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xi16>, tensor<?x1024xi8>) outs(%e0 : tensor<?x1024xi8>) {
  ^bb0(%a: i16, %b: i8, %o: i8):
    %w = arith.bitcast %a : i16 to f16
    %s = arith.bitcast %b : i8 to f8E8M0FNU
    %q = arith.scaling_truncf %w, %s : f16, f8E8M0FNU to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  return %r0 : tensor<?x1024xi8>
}

func.func @scale_by_exponent(%x: tensor<?x1024xf32>, %y: tensor<?x1024xf32>) -> tensor<?x1024xi8> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %e0 = tensor.empty(%m) : tensor<?x1024xi8>
  %r0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x1024xf32>, tensor<?x1024xf32>) outs(%e0 : tensor<?x1024xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %q = arith.scaling_truncf %a, %b : f32, f32 to f4E2M1FN
    %n = arith.bitcast %q : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x1024xi8>
  return %r0 : tensor<?x1024xi8>
}

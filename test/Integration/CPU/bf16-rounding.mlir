// Every bf16, every exponent of f32 with significands on and beside ties, and f64
// a part of an ulp beside them, to bf16 bit for bit on each machine: in vectors,
// in scalar loops, by pairs; and values that are only moved, which LLVM's x86 back
// end may round again; f16 beside it. Subnormals are what AVX512-BF16's instruction loses: its
// result for 0x007F8000 to 0x007FFFFF, which round to the least normal number, is
// zero too.

// RUN: %python %S/bf16-rounding.py %t
// RUN: %S/Inputs/bf16_rounding.sh %s %t native && %python %S/bf16-rounding.py %t --check | FileCheck %s
// RUN: %if x86_64 %{ %S/Inputs/bf16_rounding.sh %s %t x86-64-v2 && %python %S/bf16-rounding.py %t --check | FileCheck %s %}
// RUN: %if x86_64-v3 %{ %S/Inputs/bf16_rounding.sh %s %t x86-64-v3 && %python %S/bf16-rounding.py %t --check | FileCheck %s %}
// RUN: %if x86_64-v4 %{ %S/Inputs/bf16_rounding.sh %s %t x86-64-v4 && %python %S/bf16-rounding.py %t --check | FileCheck %s %}
// RUN: %if avx512-bf16 %{ %S/Inputs/bf16_rounding.sh %s %t cooperlake && %python %S/bf16-rounding.py %t --check | FileCheck %s %}
// RUN: %if avx512-fp16 %{ %S/Inputs/bf16_rounding.sh %s %t sapphirerapids && %python %S/bf16-rounding.py %t --check | FileCheck %s %}
// CHECK: vectors: 0 of 524288 wrong, {{[1-9]}}
// CHECK: scalars: 0 of 524288 wrong, {{[1-9]}}
// CHECK: doubles: 0 of 522240 wrong, {{[1-9]}}
// CHECK: products: 0 of 1310720 wrong, {{[1-9]}}
// CHECK: halves: 0 of 1310720 wrong, {{[1-9]}}
// CHECK: fill: 0 of 77 wrong, 77 subnormal
// CHECK: last: 0 of 1 wrong, 1 subnormal

// The check can fail: what flushing would give is not what there is.
// RUN: %python %S/bf16-rounding.py %t --check --wrong | FileCheck %s --check-prefix=WRONG
// WRONG: vectors: {{[1-9]}}
// WRONG: products: {{[1-9]}}
// WRONG: fill: 77 of 77 wrong

func.func @vectors(%x: tensor<65536x8xf32>) -> tensor<65536x8xbf16> {
  %e = tensor.empty() : tensor<65536x8xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<65536x8xf32>) outs(%e : tensor<65536x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<65536x8xbf16>
  return %y : tensor<65536x8xbf16>
}

func.func @scalars(%x: tensor<65536x8xf32>) -> tensor<8x65536xbf16> {
  %e = tensor.empty() : tensor<8x65536xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<65536x8xf32>) outs(%e : tensor<8x65536xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x65536xbf16>
  return %y : tensor<8x65536xbf16>
}

func.func @doubles(%x: tensor<4080x128xf64>) -> tensor<4080x128xbf16> {
  %e = tensor.empty() : tensor<4080x128xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4080x128xf64>) outs(%e : tensor<4080x128xbf16>) {
  ^bb0(%a: f64, %o: bf16):
    %r = arith.truncf %a : f64 to bf16
    linalg.yield %r : bf16
  } -> tensor<4080x128xbf16>
  return %y : tensor<4080x128xbf16>
}

func.func @products(%x: tensor<20x65536xbf16>, %w: tensor<20x65536xbf16>) -> tensor<20x65536xbf16> {
  %e = tensor.empty() : tensor<20x65536xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<20x65536xbf16>, tensor<20x65536xbf16>) outs(%e : tensor<20x65536xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %p = arith.mulf %a, %b : bf16
    %q = arith.mulf %p, %b : bf16
    linalg.yield %q : bf16
  } -> tensor<20x65536xbf16>
  return %y : tensor<20x65536xbf16>
}

// f16, which AVX512-FP16 computes with as it is: that rounds as f32 does.
func.func @halves(%x: tensor<20x65536xf16>, %w: tensor<20x65536xf16>) -> tensor<20x65536xf16> {
  %e = tensor.empty() : tensor<20x65536xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<20x65536xf16>, tensor<20x65536xf16>) outs(%e : tensor<20x65536xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %p = arith.mulf %a, %b : f16
    %q = arith.mulf %p, %b : f16
    %r = arith.addf %q, %a : f16
    linalg.yield %r : f16
  } -> tensor<20x65536xf16>
  return %y : tensor<20x65536xf16>
}

// A scalar that is used in a loop.
func.func @fill(%s: tensor<bf16>) -> tensor<77xbf16> {
  %v = tensor.extract %s[] : tensor<bf16>
  %e = tensor.empty() : tensor<77xbf16>
  %y = linalg.fill ins(%v : bf16) outs(%e : tensor<77xbf16>) -> tensor<77xbf16>
  return %y : tensor<77xbf16>
}

// A scalar that a loop carries.
func.func @last(%x: tensor<9xbf16>) -> tensor<bf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9 : index
  %first = tensor.extract %x[%c0] : tensor<9xbf16>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> bf16 {
    %v = tensor.extract %x[%i] : tensor<9xbf16>
    %greater = arith.cmpf oge, %v, %a : bf16
    %m = scf.if %greater -> bf16 {
      scf.yield %v : bf16
    } else {
      scf.yield %a : bf16
    }
    scf.yield %m : bf16
  }
  %y = tensor.from_elements %l : tensor<bf16>
  return %y : tensor<bf16>
}

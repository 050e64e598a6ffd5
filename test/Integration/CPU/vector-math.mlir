// The functions that norm-expand-vector-math writes out, against f64: a sweep over
// the 2^32 values of f32, everything near what is special, and all values of f16 and
// bf16, which go through f32 and round once more.
// RUN: norm-compile %s --emit=header -o %t.h

// RUN: %if x86_64 %{ norm-compile %s --emit=obj --mcpu=x86-64-v2 -o %t.v2.o %}
// RUN: %if x86_64 %{ llvm-nm --undefined-only %t.v2.o | FileCheck %s --check-prefix=CALLS --allow-empty %}
// RUN: %if x86_64 %{ clang-22 -O2 -include %t.h %S/Inputs/vector-math.c %t.v2.o -lm -o %t.v2.exe %}
// RUN: %if x86_64 %{ %t.v2.exe 509 | FileCheck %s %}
// RUN: %if x86_64-v3 %{ norm-compile %s --emit=obj --mcpu=x86-64-v3 -o %t.v3.o %}
// RUN: %if x86_64-v3 %{ clang-22 -O2 -include %t.h %S/Inputs/vector-math.c %t.v3.o -lm -o %t.v3.exe %}
// RUN: %if x86_64-v3 %{ %t.v3.exe 509 | FileCheck %s %}
// RUN: %if x86_64-v4 %{ norm-compile %s --emit=obj --mcpu=x86-64-v4 -o %t.v4.o %}
// RUN: %if x86_64-v4 %{ clang-22 -O2 -include %t.h %S/Inputs/vector-math.c %t.v4.o -lm -o %t.v4.exe %}
// RUN: %if x86_64-v4 %{ %t.v4.exe 509 | FileCheck %s %}
// RUN: %if qemu-aarch64 %{ norm-compile %s --emit=obj --mtriple=aarch64-linux-gnu -o %t.aarch64.o %}
// RUN: %if qemu-aarch64 %{ aarch64-linux-gnu-gcc -O2 -static -include %t.h %S/Inputs/vector-math.c %t.aarch64.o -lm -o %t.aarch64.exe %}
// RUN: %if qemu-aarch64 %{ qemu-aarch64 %t.aarch64.exe 65521 | FileCheck %s %}

// No call of libm is left, of any of them.
// CALLS-NOT: exp
// CALLS-NOT: log
// CALLS-NOT: tanh
// CALLS-NOT: erf

// CHECK: exp: max ulp {{[01]}}.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: {{^}}exp2: max ulp {{[01]}}.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: expm1: max ulp 1.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: {{^}}log: max ulp 0.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: log1p: max ulp 0.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: tanh: max ulp 1.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: erf: max ulp {{[01]}}.{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: exp of f16: max ulp 0.5{{[0-9]*}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: exp of bf16: max ulp 0.5{{[0-9]*}}, 0 over the limit, 0 bad specials

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @row_exp(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_exp2(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp2 %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_expm1(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.expm1 %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_log(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_log1p(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log1p %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_tanh(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_erf(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %i = tensor.empty() : tensor<1x65536xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%i : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.erf %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}

func.func @row_exp_f16(%x: tensor<1x65536xf16>) -> tensor<1x65536xf16> {
  %i = tensor.empty() : tensor<1x65536xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf16>) outs(%i : tensor<1x65536xf16>) {
  ^bb0(%a: f16, %o: f16):
    %r = math.exp %a : f16
    linalg.yield %r : f16
  } -> tensor<1x65536xf16>
  return %y : tensor<1x65536xf16>
}

func.func @row_exp_bf16(%x: tensor<1x65536xbf16>) -> tensor<1x65536xbf16> {
  %i = tensor.empty() : tensor<1x65536xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xbf16>) outs(%i : tensor<1x65536xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %r = math.exp %a : bf16
    linalg.yield %r : bf16
  } -> tensor<1x65536xbf16>
  return %y : tensor<1x65536xbf16>
}

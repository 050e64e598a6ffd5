// Roundings to bf16 by pairs, bit for bit: random bits (NaN, infinities and
// subnormals among them) and products that lie on ties, at every tail. First for
// this machine, with all that it has, then for each lesser one.

// RUN: %python %S/bf16-pairs.py %t
// RUN: norm-run %s --function=twice --input=@%t.x.npy --input=@%t.w.npy --output=@%t.y.npy
// RUN: %python %S/bf16-pairs.py %t --check | FileCheck %s
// RUN: %if x86_64 %{ norm-run %s --mcpu=x86-64-v2 --function=twice --input=@%t.x.npy --input=@%t.w.npy --output=@%t.y.npy && %python %S/bf16-pairs.py %t --check | FileCheck %s %}
// RUN: %if x86_64-v3 %{ norm-run %s --mcpu=x86-64-v3 --function=twice --input=@%t.x.npy --input=@%t.w.npy --output=@%t.y.npy && %python %S/bf16-pairs.py %t --check | FileCheck %s %}
// RUN: %if x86_64-v4 %{ norm-run %s --mcpu=x86-64-v4 --function=twice --input=@%t.x.npy --input=@%t.w.npy --output=@%t.y.npy && %python %S/bf16-pairs.py %t --check | FileCheck %s %}
// CHECK: {{[1-9][0-9]*}} ties, {{[1-9][0-9]*}} NaN, {{[1-9][0-9]*}} infinite, {{[1-9][0-9]*}} subnormal of 161296, 0 wrong

// What runs has been through the pass.
// RUN: norm-opt %s --norm-to-cpu | FileCheck %s --check-prefix=PAIRS
// PAIRS: llvm.bitcast {{.*}} : vector<64xi16> to vector<32xi32>

func.func @twice(%x: tensor<16x10081xbf16>, %w: tensor<16x10081xbf16>) -> tensor<16x10081xbf16> {
  %e = tensor.empty() : tensor<16x10081xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w : tensor<16x10081xbf16>, tensor<16x10081xbf16>) outs(%e : tensor<16x10081xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %p = arith.mulf %a, %b : bf16
    %q = arith.mulf %p, %b : bf16
    linalg.yield %q : bf16
  } -> tensor<16x10081xbf16>
  return %y : tensor<16x10081xbf16>
}

// RUN: norm-opt %s --pass-pipeline='builtin.module(gpu.module(norm-convert-fp8-to-nvvm))' | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: func.func @pairs
  // CHECK: %[[A:.*]] = nvvm.convert.f32x2.to.f8x2 %{{.*}}, %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16{{ ?}}(f8E4M3FN)
  // CHECK: nvvm.convert.f32x2.to.f8x2
  // CHECK-NOT: nvvm.convert
  // CHECK: %[[M:.*]] = math.absf %arg0
  // CHECK: %[[OVER:.*]] = arith.cmpf ogt, %[[M]], %{{.*}} : vector<4xf32>
  // CHECK: %[[S:.*]] = arith.select %[[OVER]]
  // CHECK: arith.bitcast %[[S]] : vector<4xi8> to vector<4xf8E4M3FN>
  func.func @pairs(%a: vector<4xf32>) -> vector<4xf8E4M3FN> {
    %r = arith.truncf %a : vector<4xf32> to vector<4xf8E4M3FN>
    return %r : vector<4xf8E4M3FN>
  }

  // An infinity keeps its sign.
  // CHECK-LABEL: func.func @e5m2
  // CHECK: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
  // CHECK: arith.andi
  // CHECK: arith.ori
  // CHECK: arith.select
  func.func @e5m2(%a: vector<2xf32>) -> vector<2xf8E5M2> {
    %r = arith.truncf %a : vector<2xf32> to vector<2xf8E5M2>
    return %r : vector<2xf8E5M2>
  }

  // CHECK-LABEL: func.func @others
  // CHECK-NOT: nvvm.convert
  // CHECK-COUNT-3: arith.truncf
  func.func @others(%a: vector<3xf32>, %b: vector<2xbf16>, %c: f32) -> (vector<3xf8E4M3FN>, vector<2xf8E4M3FN>, f8E4M3FN) {
    %r = arith.truncf %a : vector<3xf32> to vector<3xf8E4M3FN>
    %s = arith.truncf %b : vector<2xbf16> to vector<2xf8E4M3FN>
    %t = arith.truncf %c : f32 to f8E4M3FN
    return %r, %s, %t : vector<3xf8E4M3FN>, vector<2xf8E4M3FN>, f8E4M3FN
  }
}

// Two bf16 of a word become f32 by a shift and by a mask. One alone, an odd number and
// other types stay.
// RUN: norm-opt %s --pass-pipeline='builtin.module(gpu.module(norm-lower-gpu-math))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f
  // CHECK-DAG: %[[UPPER:.*]] = arith.constant dense<-65536> : vector<2xi32>
  // CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<16> : vector<2xi32>
  // CHECK: %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
  // CHECK: %[[L:.*]] = arith.shli %[[WORDS]], %[[SHIFT]]
  // CHECK: %[[EVEN:.*]] = arith.bitcast %[[L]] : vector<2xi32> to vector<2xf32>
  // CHECK: %[[U:.*]] = arith.andi %[[WORDS]], %[[UPPER]]
  // CHECK: %[[ODD:.*]] = arith.bitcast %[[U]] : vector<2xi32> to vector<2xf32>
  // CHECK: vector.interleave %[[EVEN]], %[[ODD]] : vector<2xf32> -> vector<4xf32>
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.extf %{{.*}} : vector<3xbf16> to vector<3xf32>
  // CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
  gpu.func @f(%a: vector<4xbf16>, %b: bf16, %c: vector<3xbf16>, %d: vector<4xf16>,
              %p: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = arith.extf %a : vector<4xbf16> to vector<4xf32>
    vector.store %0, %p[%c0] : memref<8xf32>, vector<4xf32>
    %1 = arith.extf %b : bf16 to f32
    memref.store %1, %p[%c0] : memref<8xf32>
    %2 = arith.extf %c : vector<3xbf16> to vector<3xf32>
    vector.store %2, %p[%c0] : memref<8xf32>, vector<3xf32>
    %3 = arith.extf %d : vector<4xf16> to vector<4xf32>
    vector.store %3, %p[%c0] : memref<8xf32>, vector<4xf32>
    gpu.return
  }
}

// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-sink-deinterleaves))' | FileCheck %s

// The same with both halves, down to the bytes.
// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[S:.*]]: f32)
// CHECK: %[[B:.*]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK: %[[D:.*]] = arith.mulf %[[X]], %[[B]] : vector<16xf32>
// CHECK: %[[Q:.*]] = arith.fptosi %[[D]] : vector<16xf32> to vector<16xi8>
// CHECK: %[[E:.*]], %[[O:.*]] = vector.deinterleave %[[Q]] : vector<16xi8> -> vector<8xi8>
// CHECK: %[[H:.*]] = arith.shli %[[O]]
// CHECK: arith.ori %[[E]], %[[H]]
func.func @pack(%x: vector<16xf32>, %s: f32) -> vector<8xi8> {
  %c4 = arith.constant dense<4> : vector<8xi8>
  %b = vector.broadcast %s : f32 to vector<8xf32>
  %even, %odd = vector.deinterleave %x : vector<16xf32> -> vector<8xf32>
  %p = arith.mulf %even, %b : vector<8xf32>
  %q = arith.mulf %odd, %b : vector<8xf32>
  %u = arith.fptosi %q : vector<8xf32> to vector<8xi8>
  %v = arith.fptosi %p : vector<8xf32> to vector<8xi8>
  %h = arith.shli %u, %c4 : vector<8xi8>
  %r = arith.ori %v, %h : vector<8xi8>
  return %r : vector<8xi8>
}

// -----

// Nothing becomes narrower.
// CHECK-LABEL: func.func @same_width
// CHECK: vector.deinterleave %{{.*}} : vector<16xf32>
func.func @same_width(%x: vector<16xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %even, %odd = vector.deinterleave %x : vector<16xf32> -> vector<8xf32>
  %p = math.absf %even : vector<8xf32>
  %q = math.absf %odd : vector<8xf32>
  return %p, %q : vector<8xf32>, vector<8xf32>
}

// -----

// The halves are not treated alike.
// CHECK-LABEL: func.func @other_factor
// CHECK: vector.deinterleave %{{.*}} : vector<16xf32>
func.func @other_factor(%x: vector<16xf32>, %s: vector<8xf32>) -> (vector<8xi8>, vector<8xi8>) {
  %even, %odd = vector.deinterleave %x : vector<16xf32> -> vector<8xf32>
  %p = arith.mulf %even, %s : vector<8xf32>
  %q = arith.mulf %odd, %s : vector<8xf32>
  %u = arith.fptosi %p : vector<8xf32> to vector<8xi8>
  %v = arith.fptosi %q : vector<8xf32> to vector<8xi8>
  return %u, %v : vector<8xi8>, vector<8xi8>
}

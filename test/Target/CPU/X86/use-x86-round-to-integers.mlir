// RUN: norm-opt %s --norm-use-x86-instructions | FileCheck %s

// CHECK-LABEL: func @clamped(%arg0: vector<64xf32>)
// CHECK: %[[U:.*]] = arith.minimumf %arg0, %{{.*}} : vector<64xf32>
// CHECK: %[[L:.*]] = arith.maximumf %[[U]], %{{.*}} : vector<64xf32>
// CHECK: %[[I:.*]] = llvm.intr.lrint(%[[L]]) : (vector<64xf32>) -> vector<64xi32>
// CHECK: %[[Q:.*]] = arith.trunci %[[I]] overflow<nsw> : vector<64xi32> to vector<64xi8>
// CHECK: return %[[Q]]
func.func @clamped(%x: vector<64xf32>) -> vector<64xi8> {
  %most = arith.constant dense<127.0> : vector<64xf32>
  %least = arith.constant dense<-127.0> : vector<64xf32>
  %r = math.roundeven %x : vector<64xf32>
  %u = arith.minimumf %r, %most : vector<64xf32>
  %l = arith.maximumf %u, %least : vector<64xf32>
  %q = arith.fptosi %l : vector<64xf32> to vector<64xi8>
  return %q : vector<64xi8>
}

// CHECK-LABEL: func @words
// CHECK: %[[I:.*]] = llvm.intr.lrint(%arg0)
// CHECK: return %[[I]]
func.func @words(%x: vector<8xf32>) -> vector<8xi32> {
  %r = math.roundeven %x : vector<8xf32>
  %q = arith.fptosi %r : vector<8xf32> to vector<8xi32>
  return %q : vector<8xi32>
}

// Without a rounding, and where the clamp is not to an integer or the rounded
// number is used again, only the narrowing is apart.
// CHECK-LABEL: func @toward_zero
// CHECK-NOT: lrint
// CHECK: %[[I:.*]] = arith.fptosi %arg0 : vector<16xf32> to vector<16xi32>
// CHECK: arith.trunci %[[I]] overflow<nsw> : vector<16xi32> to vector<16xi16>
// CHECK: math.roundeven
// CHECK: math.roundeven
func.func @toward_zero(%x: vector<16xf32>) -> (vector<16xi16>, vector<16xi8>, vector<16xi8>, vector<16xf32>) {
  %bound = arith.constant dense<2.5> : vector<16xf32>
  %0 = arith.fptosi %x : vector<16xf32> to vector<16xi16>
  %r = math.roundeven %x : vector<16xf32>
  %u = arith.minimumf %r, %bound : vector<16xf32>
  %1 = arith.fptosi %u : vector<16xf32> to vector<16xi8>
  %s = math.roundeven %x : vector<16xf32>
  %2 = arith.fptosi %s : vector<16xf32> to vector<16xi8>
  return %0, %1, %2, %s : vector<16xi16>, vector<16xi8>, vector<16xi8>, vector<16xf32>
}

// Halves are rounded to even, not away from zero; scalars, f64, i64 and unsigned
// integers have other instructions.
// CHECK-LABEL: func @others
// CHECK-NOT: lrint
// CHECK-NOT: arith.trunci
func.func @others(%x: vector<8xf32>, %s: f32, %d: vector<4xf64>) -> (vector<8xi32>, i8, vector<4xi8>, vector<8xi64>, vector<8xi8>) {
  %a = math.round %x : vector<8xf32>
  %0 = arith.fptosi %a : vector<8xf32> to vector<8xi32>
  %1 = arith.fptosi %s : f32 to i8
  %2 = arith.fptosi %d : vector<4xf64> to vector<4xi8>
  %3 = arith.fptosi %x : vector<8xf32> to vector<8xi64>
  %4 = arith.fptoui %x : vector<8xf32> to vector<8xi8>
  return %0, %1, %2, %3, %4 : vector<8xi32>, i8, vector<4xi8>, vector<8xi64>, vector<8xi8>
}

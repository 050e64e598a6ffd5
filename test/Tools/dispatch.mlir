// norm-compile --dispatch: what it writes and what it rejects. The code is run
// in test/Integration/CPU/dispatch.test.
// RUN: split-file %s %t
// RUN: norm-compile %t/scalar.mlir --dispatch --emit=llvm-ir --mtriple=x86_64-linux-gnu -o - | FileCheck %s

// Each function is code of its own level, and what it returns comes back.
// CHECK: define internal {{.*}}float @_mlir_ciface_f.x86-64-v2({{.*}} [[V2:#[0-9]+]]
// CHECK: define internal {{.*}}float @_mlir_ciface_f.x86-64-v3({{.*}} [[V3:#[0-9]+]]
// CHECK: define internal {{.*}}float @_mlir_ciface_f.x86-64-v4({{.*}} [[V4:#[0-9]+]]
// CHECK: define {{.*}}float @_mlir_ciface_f(float %0, float %1) [[V2]]
// CHECK: %[[LEVEL:.*]] = call i32 @norm_cpu_level()
// CHECK-NEXT: switch i32 %[[LEVEL]], label %x86-64-v2 [
// CHECK-NEXT: i32 3, label %x86-64-v3
// CHECK-NEXT: i32 4, label %x86-64-v4
// CHECK: x86-64-v4:
// CHECK-NEXT: %[[RESULT:.*]] = tail call float @_mlir_ciface_f.x86-64-v4(float %0, float %1)
// CHECK-NEXT: ret float %[[RESULT]]
// CHECK: attributes [[V2]] = {{.*}}"target-cpu"="x86-64-v2"
// CHECK: attributes [[V3]] = {{.*}}"target-cpu"="x86-64-v3"
// CHECK: attributes [[V4]] = {{.*}}"prefer-vector-width"="512"{{.*}}"target-cpu"="x86-64-v4"

// RUN: norm-compile %t/scalar.mlir --dispatch --emit=asm --mtriple=x86_64-linux-gnu -o - | FileCheck %s --check-prefix=ASM
// ASM: xgetbv

// RUN: not norm-compile %t/scalar.mlir --dispatch --mcpu=x86-64-v3 -o %t.bad 2>&1 | FileCheck %s --check-prefix=MCPU
// RUN: not norm-compile %t/scalar.mlir --dispatch --mattr=+avx -o %t.bad 2>&1 | FileCheck %s --check-prefix=MCPU
// MCPU: error: --dispatch chooses the CPU at run time: it does not go with --mcpu and --mattr
// RUN: not norm-compile %t/scalar.mlir --dispatch --target=nvvm -o %t.bad 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: --dispatch needs --target=cpu
// RUN: not norm-compile %t/scalar.mlir --dispatch --emit=vector -o %t.bad 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: --dispatch has no stage before LLVM IR for all of its CPUs: emit llvm-ir, asm, obj or shared
// RUN: not norm-compile %t/scalar.mlir --dispatch --mtriple=aarch64-linux-gnu -o %t.bad 2>&1 | FileCheck %s --check-prefix=ARM
// ARM: error: --dispatch needs an x86-64 target, got aarch64-unknown-linux-gnu
// RUN: not norm-compile %t/scalar.mlir --dispatch --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: error: --explain and --report tell of one CPU: give --mcpu in place of --dispatch
// RUN: not norm-compile %t/vectors.mlir --dispatch --mtriple=x86_64-linux-gnu -o %t.bad 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: error: --dispatch: '_mlir_ciface_v' passes vectors, which each CPU does in its own way
// RUN: not norm-compile %t/global.mlir --dispatch --mtriple=x86_64-linux-gnu -o %t.bad 2>&1 | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: error: --dispatch: the program shows its global 'table', which each variant would have
// RUN: not ls %t.bad

//--- scalar.mlir
func.func @f(%a: f32, %b: f32) -> f32 {
  %c = arith.addf %a, %b : f32
  return %c : f32
}

//--- vectors.mlir
func.func @v(%a: vector<16xf32>) -> vector<16xf32> {
  return %a : vector<16xf32>
}

//--- global.mlir
memref.global constant @table : memref<2xf32> = dense<[1.0, 2.0]>
func.func @g(%i: index) -> f32 {
  %t = memref.get_global @table : memref<2xf32>
  %v = memref.load %t[%i] : memref<2xf32>
  return %v : f32
}

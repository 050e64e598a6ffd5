// RUN: norm-opt %s --norm-use-x86-instructions --split-input-file | FileCheck %s
// RUN: norm-compile %S/../Inputs/linear_bf16.mlir --emit=asm --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids -o - | FileCheck %s --check-prefix=ASM
// RUN: norm-compile %S/../Inputs/linear_bf16.mlir --emit=asm --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids --rounding=exact -o - | FileCheck %s --check-prefix=EXACT
// RUN: norm-compile %S/../Inputs/linear_bf16.mlir --emit=asm --mtriple=x86_64-windows-msvc --mcpu=sapphirerapids -o - | FileCheck %s --check-prefix=WINDOWS
// RUN: norm-compile %S/../Inputs/linear_bf16.mlir --emit=asm --mtriple=x86_64-linux-gnu --mcpu=znver4 -o - | FileCheck %s --check-prefix=PAIRS
// RUN: norm-compile %S/../Inputs/linear_bf16.mlir --emit=asm --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids --mattr=-amx-tile -o - | FileCheck %s --check-prefix=PAIRS

// Code with tiles asks Linux for them as it is loaded; no tile is spilled.
// ASM: ldtilecfg
// ASM-NOT: tilestored{{.*}}Spill
// ASM: tdpbf16ps
// ASM-NOT: tilestored{{.*}}Spill
// ASM: syscall
// ASM: .init_array
// EXACT-NOT: tdpbf16ps
// WINDOWS-NOT: tdpbf16ps
// PAIRS-NOT: syscall
// PAIRS: vdpbf16ps

// CHECK-LABEL: func.func @tiles
// CHECK: llvm.func internal @[[REQUEST:.*]]() {
// CHECK-DAG: %[[ARCH_PRCTL:.*]] = llvm.mlir.constant(158 : i64)
// CHECK-DAG: %[[REQ_PERM:.*]] = llvm.mlir.constant(4131 : i64)
// CHECK-DAG: %[[TILE_DATA:.*]] = llvm.mlir.constant(18 : i64)
// CHECK: llvm.inline_asm has_side_effects "syscall", "{{.*}}" %[[ARCH_PRCTL]], %[[REQ_PERM]], %[[TILE_DATA]]
// CHECK: llvm.mlir.global_ctors ctors = [@[[REQUEST]]], priorities = [0 : i32]
func.func @tiles(%x: memref<16x64xi8>, %y: memref<16x64xi8>, %sum: memref<16x16xi32>) {
  %c0 = arith.constant 0 : index
  %a = amx.tile_load %x[%c0, %c0] : memref<16x64xi8> into !amx.tile<16x64xi8>
  %b = amx.tile_load %y[%c0, %c0] : memref<16x64xi8> into !amx.tile<16x64xi8>
  %c = amx.tile_load %sum[%c0, %c0] : memref<16x16xi32> into !amx.tile<16x16xi32>
  %d = amx.tile_muli %a, %b, %c : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
  amx.tile_store %sum[%c0, %c0], %d : memref<16x16xi32>, !amx.tile<16x16xi32>
  return
}

// -----

// Other code asks for nothing.
// CHECK-LABEL: func.func @none
// CHECK-NOT: llvm.mlir.global_ctors
func.func @none() {
  return
}

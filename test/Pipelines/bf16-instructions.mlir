// No way to machine code rounds or moves bf16 by vcvtneps2bf16, which takes
// subnormals for zeros, or by a library: norm-compile's, and upstream's tools
// after norm-to-cpu, on x86 with and without the instruction.

// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids --emit=asm -o - | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=cooperlake --emit=asm -o - | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mattr=+avxneconvert --emit=asm -o - | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 --emit=asm -o - | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// RUN: norm-opt %s --norm-to-cpu='triple=x86_64-linux-gnu bf16-rounding=1' | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: llc -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -O3 %t.ll -o - | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// RUN: opt -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -O3 -S %t.ll | llc -mcpu=sapphirerapids -O3 | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// RUN: llc -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -O3 %t.ll -o - | FileCheck %s --implicit-check-not='{{vcvtne|__trunc}}'
// CHECK: {{^_mlir_ciface_}}argument:
// CHECK: {{^_mlir_ciface_}}carried:
// CHECK: {{^_mlir_ciface_}}last:
// CHECK: {{^_mlir_ciface_}}called:
// CHECK: {{^_mlir_ciface_}}vectors:
// CHECK: {{^_mlir_ciface_}}norm:

// AArch64's bfcvtn keeps subnormals unless FPCR says otherwise.
// RUN: norm-opt %s --norm-to-cpu='triple=aarch64-linux-gnu bf16-rounding=1' | FileCheck %s --check-prefix=ARM
// ARM: llvm.fptrunc {{.*}} : vector<64xf32> to vector<64xbf16>

func.func @argument(%x: tensor<?xbf16>, %s: bf16) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xbf16>
  %e = tensor.empty(%n) : tensor<?xbf16>
  %y = linalg.fill ins(%s : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

func.func @carried(%x: memref<?xbf16>, %y: memref<bf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xbf16>
  %z = memref.load %x[%c0] : memref<?xbf16>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> bf16 {
    %v = memref.load %x[%i] : memref<?xbf16>
    %c = arith.cmpf ogt, %v, %a : bf16
    %m = scf.if %c -> bf16 {
      memref.store %a, %y[] : memref<bf16>
      scf.yield %v : bf16
    } else {
      scf.yield %a : bf16
    }
    scf.yield %m : bf16
  }
  memref.store %l, %y[] : memref<bf16>
  return
}

func.func @last(%x: memref<?xbf16>, %y: memref<bf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xbf16>
  %z = memref.load %x[%c0] : memref<?xbf16>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> bf16 {
    %v = memref.load %x[%i] : memref<?xbf16>
    scf.yield %v : bf16
  }
  memref.store %l, %y[] : memref<bf16>
  return
}

func.func private @callee(%s: bf16) -> bf16

func.func @called(%x: memref<?xbf16>, %c : i1, %s: bf16) {
  %c0 = arith.constant 0 : index
  %r = scf.if %c -> bf16 {
    %z = memref.load %x[%c0] : memref<?xbf16>
    scf.yield %z : bf16
  } else {
    %q = func.call @callee(%s) : (bf16) -> bf16
    memref.store %q, %x[%c0] : memref<?xbf16>
    scf.yield %q : bf16
  }
  memref.store %r, %x[%c0] : memref<?xbf16>
  return
}

func.func @vectors(%x: memref<16xbf16>, %y: memref<bf16>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<16xbf16>, vector<16xbf16>
  %s = memref.load %y[] : memref<bf16>
  %r = vector.reduction <add>, %v : vector<16xbf16> into bf16
  %m = vector.reduction <maximumf>, %v, %r : vector<16xbf16> into bf16
  %b = vector.broadcast %s : bf16 to vector<16xbf16>
  %f = vector.fma %v, %b, %v : vector<16xbf16>
  %d = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %v, %f, %m : vector<16xbf16>, vector<16xbf16> into bf16
  memref.store %d, %y[] : memref<bf16>
  vector.store %f, %x[%c0] : memref<16xbf16>, vector<16xbf16>
  return
}

func.func @norm(%x: tensor<?x?xbf16>, %w: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xbf16>, tensor<?xbf16>) outs(%i : tensor<?x?xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

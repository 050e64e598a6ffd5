// A pass that fails is no crash: no reproducer, each of its errors once, and where
// it gives none, its name. Functions are compiled in threads, whose errors upstream
// keeps until all are done. The order of threads is a matter of chance, so what two
// functions do is tried several times.
// RUN: rm -rf %t && split-file %s %t && mkdir %t/tmp

// Two functions of which each has an error: that of one or of both, and no other.
// RUN: sh -c 'for i in 1 2 3 4 5 6 7 8; do ! TMPDIR=%t/tmp norm-compile %t/two.mlir --target=nvvm --emit=ptx -o %t/x.ptx || exit 1; done' 2>&1 | FileCheck %s --check-prefix=TWO --implicit-check-not=crashed --implicit-check-not=saying --implicit-check-not=pipeline
// RUN: sh -c 'for i in 1 2 3 4 5 6 7 8; do ! TMPDIR=%t/tmp norm-opt %t/two.mlir --norm-to-nvvm -o %t/x.mlir || exit 1; done' 2>&1 | FileCheck %s --check-prefix=TWO --implicit-check-not=crashed --implicit-check-not=saying --implicit-check-not=pipeline
// TWO-COUNT-8: would access device memory from the host
// RUN: not norm-opt %t/two.mlir --norm-to-nvvm --mlir-disable-threading 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=error:
// ONE: two.mlir:4:{{[0-9]+}}: error: '{{.*}}' would access device memory from the host
// ONE: two.mlir:10:{{[0-9]+}}: error: '{{.*}}' would access device memory from the host

// norm-run has the same runner.
// RUN: not env TMPDIR=%t/tmp norm-run %t/global.mlir --pipeline=simt --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=GLOBAL --implicit-check-not=crashed --implicit-check-not=pipeline
// GLOBAL: global.mlir:5:1: error: failed to bufferize op

// Below another module, and without a location.
// RUN: not env TMPDIR=%t/tmp norm-opt %t/nested.mlir --pass-pipeline='builtin.module(builtin.module(func.func(norm-device-memory)))' 2>&1 | FileCheck %s --check-prefix=NESTED --implicit-check-not=error:
// NESTED: nested.mlir:4:{{[0-9]+}}: error: 'memref.store' would access device memory from the host
// RUN: not env TMPDIR=%t/tmp norm-opt %t/unknown.mlir --pass-pipeline='builtin.module(func.func(norm-device-memory))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error: --implicit-check-not=failed
// UNKNOWN: error: 'memref.store' would access device memory from the host

// A failure without an error.
// RUN: not env TMPDIR=%t/tmp NORM_TEST_CSE=fail LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-compile %t/silent.mlir -o %t/x.o 2>&1 | FileCheck %s --check-prefix=SILENT --implicit-check-not=error:
// RUN: not env TMPDIR=%t/tmp NORM_TEST_CSE=warn LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-run %t/silent.mlir --function=f --input=4xf32=1 2>&1 | FileCheck %s --check-prefixes=WARN,SILENT --implicit-check-not=error:
// RUN: not env TMPDIR=%t/tmp NORM_TEST_CSE=fail LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-opt %t/silent.mlir --norm-to-cpu 2>&1 | FileCheck %s --check-prefix=SILENT --implicit-check-not=error:
// RUN: not env TMPDIR=%t/tmp NORM_TEST_CSE=fail LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-opt %t/silent.mlir --pass-pipeline='builtin.module(func.func(test-crash))' 2>&1 | FileCheck %s --check-prefix=THREADS --implicit-check-not=error:
// WARN: silent.mlir:0:0: warning: this pass will fail
// SILENT: silent.mlir:0:0: error: the pass test-crash failed on builtin.module without saying why
// THREADS: silent.mlir:{{[15]}}:{{[0-9]+}}: error: the pass test-crash failed on func.func @{{[fg]}} without saying why

// REQUIRES: linux
// RUN: ls %t/tmp | count 0

//--- two.mlir
func.func @f(%x: tensor<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p : tensor<4xf32>, vector<4xf32>
  return %v : vector<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p : tensor<4xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

//--- global.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = ml_program.global_load @state : tensor<4xf32>
  return %y : tensor<4xf32>
}
ml_program.global private mutable @state : tensor<4xf32>

//--- nested.mlir
module {
  module {
    func.func @f(%x: memref<4xf32>, %v: f32, %i: index) {
      memref.store %v, %x[%i] : memref<4xf32>
      return
    }
    func.func @g(%x: memref<4xf32>) {
      return
    }
  }
}

//--- unknown.mlir
func.func @f(%x: memref<4xf32>, %v: f32, %i: index) {
  memref.store %v, %x[%i] : memref<4xf32> loc(unknown)
  return loc(unknown)
} loc(unknown)

//--- silent.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.mulf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

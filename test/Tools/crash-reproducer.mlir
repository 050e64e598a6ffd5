// A pass that crashes leaves its input and the pipeline, and says where.
// REQUIRES: linux
// RUN: rm -rf %t.tmp && mkdir %t.tmp
// RUN: not env TMPDIR=%t.tmp LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-compile %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: a pass crashed, which is a bug of norm-mlir; to see it again: norm-opt {{.*}}norm-crash-{{.*}}.mlir --run-reproducer
// RUN: cat %t.tmp/norm-crash-*.mlir | FileCheck %s --check-prefix=FILE
// FILE: norm.rmsnorm
// FILE: mlir_reproducer
// FILE: norm-recognize{{.*}}test-crash
// RUN: not ls %t.o

// norm-opt and norm-run do so as well; the file is one that norm-opt reads.
// RUN: rm -rf %t.tmp && mkdir %t.tmp
// RUN: not env TMPDIR=%t.tmp LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-opt %s --norm-to-cpu 2>&1 | FileCheck %s
// RUN: not env TMPDIR=%t.tmp LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-run %s --input=2x4xf32=1 2>&1 | FileCheck %s
// RUN: ls %t.tmp | count 2
// RUN: sh -c 'cat $(ls -d %t.tmp/* | sed -n 1p)' | norm-opt | FileCheck %s --check-prefix=READ
// READ: norm.rmsnorm

// A file of one's own choice is upstream's option.
// RUN: not env LD_PRELOAD=%norm_obj_root/lib/norm-test-crashing-pass.so norm-compile %s --mlir-pass-pipeline-crash-reproducer=%t.own.mlir -o %t.o 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: reproducer generated at `{{.*}}.own.mlir`
// RUN: FileCheck %s --check-prefix=FILE < %t.own.mlir

// A diagnostic about the input is no crash: no file, no word about one.
// RUN: rm -rf %t.tmp && mkdir %t.tmp
// RUN: not env TMPDIR=%t.tmp norm-compile %s --target=nvvm --chip=sm_1 -o %t.o 2>&1 | FileCheck %s --check-prefix=INPUT --implicit-check-not="reproducer generated" --implicit-check-not="a pass crashed" --implicit-check-not=pipeline
// RUN: not env TMPDIR=%t.tmp norm-opt %s --norm-to-nvvm=chip=sm_1 2>&1 | FileCheck %s --check-prefix=INPUT --implicit-check-not="reproducer generated" --implicit-check-not="a pass crashed" --implicit-check-not=pipeline
// INPUT: error: unknown chip 'sm_1', expected one such as sm_90
// RUN: ls %t.tmp | count 0

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %i = tensor.empty() : tensor<2x4xf32>
  %y = norm.rmsnorm ins(%x : tensor<2x4xf32>) outs(%i : tensor<2x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

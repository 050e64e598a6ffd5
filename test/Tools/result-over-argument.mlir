// A result over an argument: how C and norm-run call it, and what does not go with it.
// RUN: norm-compile %s --emit=header -o - | FileCheck %s --check-prefix=HEADER
// HEADER: /* main(memref<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>) */
// HEADER-NEXT: void _mlir_ciface_main(norm_memref_2d *arg0, const norm_memref_2d *arg1, norm_memref_2d *result0);

// norm-run counts what is written over behind the results.
// RUN: norm-run %s --input=2x4xf32=1 --input=2x4xf32=2 | FileCheck %s
// RUN: norm-run %s --input=2x4xf32=1 --input=2x4xf32=2 --threads=2 | FileCheck %s
// RUN: norm-run %s --input=2x4xf32=1 --input=2x4xf32=2 --verify-buffers | FileCheck %s
// CHECK: result[0]: 2x4xf32=[1 1 1 1][1 1 1 1]
// CHECK-NEXT: result[1]: 2x4xf32=[3 3 3 3][3 3 3 3]

// RUN: not norm-compile %s --target=nvvm --emit=ptx -o %t 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: 'norm.result' does not go with --target=nvvm
// RUN: not norm-compile %s --entry=tvm-ffi --emit=obj -o %t 2>&1 | FileCheck %s --check-prefix=TVM
// TVM: error: 'norm.result' does not go with --entry=tvm-ffi
// RUN: not norm-compile %s --ranks=2 --emit=obj -o %t 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: error: 'norm.result' does not go with --ranks
// RUN: not norm-run %s --ranks=2 --input=2x4xf32=1 --input=2x4xf32=2 2>&1 | FileCheck %s --check-prefix=RUN-RANKS
// RUN-RANKS: error: --ranks needs a function on tensors

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x4xf32> {norm.result = 0 : i64}, %r: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %h, %x : tensor<?x4xf32>, tensor<?x4xf32>
}

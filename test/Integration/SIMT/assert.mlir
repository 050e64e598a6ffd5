// An assertion of the host is checked there.
// RUN: norm-run %s --pipeline=simt --input=4xf32=1 --input=4xf32=2 --expected-output=4xf32=3
// RUN: not norm-run %s --pipeline=simt --input=4xf32=1 --input=3xf32=2 2>&1 | FileCheck %s
// RUN: norm-compile %s --target=nvvm --emit=llvm-ir -o - | FileCheck %s --check-prefix=IR
// CHECK: error: an assertion of function 'main' failed: extents differ
// IR: call {{.*}}@write

func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "extents differ"
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

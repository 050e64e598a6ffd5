// Nothing is written but the named output: not where the tool runs, not among
// temporary files, not in the home; nothing at all, or the old file, after an error.
// REQUIRES: linux, x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/files.py %s %t | FileCheck %s
// CHECK: {{^}}0 problems

func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %i = tensor.empty(%m) : tensor<?x64xf32>
  %y = norm.rmsnorm ins(%x : tensor<?x64xf32>) outs(%i : tensor<?x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

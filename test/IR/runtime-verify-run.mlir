// Runs the checks: the message and an abort, or the values. stdbuf, for the
// message is in stdout's buffer when the program aborts.
// RUN: norm-opt %s --generate-runtime-verification --one-shot-bufferize="bufferize-function-boundaries" --norm-to-linalg --convert-linalg-to-loops --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts -o %t.mlir
// DEFINE: %{run} = stdbuf -o0 mlir-runner %t.mlir --entry-point-result=void --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so
// RUN: %{run} -e right | FileCheck %s --check-prefix=RIGHT
// RUN: not --crash %{run} -e weight 2>/dev/null | FileCheck %s --check-prefix=S5
// RUN: not --crash %{run} -e result 2>/dev/null | FileCheck %s --check-prefix=S6
// RUN: not --crash %{run} -e count 2>/dev/null | FileCheck %s --check-prefix=S7
// RUN: not --crash %{run} -e inv_rms 2>/dev/null | FileCheck %s --check-prefix=S8

// RIGHT-NOT: ERROR
// RIGHT: [0.365{{[0-9]*}}, 0.730{{[0-9]*}}, 1.095{{[0-9]*}}, 1.460{{[0-9]*}}]
// S5: ^ S5: weight dimension 0 must have the extent of x's dimension 1
// S6: ^ S6: result dimension 0 must have the extent of x's dimension 0
// S7: ^ S7: count must be in [1, extent of x's dimension 1]
// S8: ^ S8: inv_rms dimension 0 must have the extent of x's dimension 0

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func private @norm(%x: tensor<?x?xf32>, %n: index, %rows: index, %stats: index) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %cols = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %w = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %i = tensor.empty(%rows, %cols) : tensor<?x?xf32>
  %r = tensor.empty(%stats) : tensor<?xf32>
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i, %r : tensor<?x?xf32>, tensor<?xf32>) dims = [1] epsilon = 0.0 : f32 count = 4 -> tensor<?x?xf32>, tensor<?xf32>
  %print = tensor.cast %y#0 : tensor<?x?xf32> to tensor<*xf32>
  call @printMemrefF32(%print) : (tensor<*xf32>) -> ()
  return
}

func.func @right() attributes {llvm.emit_c_interface} {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %d = tensor.cast %x : tensor<1x4xf32> to tensor<?x?xf32>
  call @norm(%d, %c4, %c1, %c1) : (tensor<?x?xf32>, index, index, index) -> ()
  return
}

func.func @weight() attributes {llvm.emit_c_interface} {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %d = tensor.cast %x : tensor<1x4xf32> to tensor<?x?xf32>
  call @norm(%d, %c3, %c1, %c1) : (tensor<?x?xf32>, index, index, index) -> ()
  return
}

func.func @result() attributes {llvm.emit_c_interface} {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %d = tensor.cast %x : tensor<1x4xf32> to tensor<?x?xf32>
  call @norm(%d, %c4, %c2, %c1) : (tensor<?x?xf32>, index, index, index) -> ()
  return
}

func.func @count() attributes {llvm.emit_c_interface} {
  %x = arith.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %d = tensor.cast %x : tensor<1x3xf32> to tensor<?x?xf32>
  call @norm(%d, %c3, %c1, %c1) : (tensor<?x?xf32>, index, index, index) -> ()
  return
}

func.func @inv_rms() attributes {llvm.emit_c_interface} {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %d = tensor.cast %x : tensor<1x4xf32> to tensor<?x?xf32>
  call @norm(%d, %c4, %c1, %c2) : (tensor<?x?xf32>, index, index, index) -> ()
  return
}

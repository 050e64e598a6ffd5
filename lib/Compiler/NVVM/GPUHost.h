//===- GPUHost.h - C functions that launch kernels --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_NVVM_GPUHOST_H
#define NORM_COMPILER_NVVM_GPUHOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace mlir::norm {

/// A public function as the source has it.
struct LaunchFunction {
  std::string name;
  FunctionType type;
};

/// The public functions of a module on tensors. One that no C function can
/// launch, because of an unranked tensor, a type without a C equivalent or a
/// result that is not a tensor, is an error at its location.
FailureOr<SmallVector<LaunchFunction>> collectLaunchFunctions(ModuleOp module);

/// Gives translated host code its interface: for each function f `f_launch`,
/// `f_signature` and `_mlir_ciface_f` (docs/GPU.md), and the runtime in
/// runtime/cuda that they need. `cubin` may be empty.
llvm::Error addGPUHost(llvm::Module &module, ArrayRef<LaunchFunction> functions,
                       StringRef chip, StringRef cubin);

} // namespace mlir::norm

#endif // NORM_COMPILER_NVVM_GPUHOST_H

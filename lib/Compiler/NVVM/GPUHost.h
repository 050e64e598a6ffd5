//===- GPUHost.h - C functions that launch kernels --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_COMPILER_NVVM_GPUHOST_H
#define NORM_LIB_COMPILER_NVVM_GPUHOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace mlir::norm {

/// A public function with the type that it has in the source.
struct LaunchFunction {
  std::string name;
  FunctionType type;
};

/// Collects the public functions of a module on tensors. A function that C
/// cannot launch, because of an unranked tensor, a type without a C equivalent
/// or a result that is not a tensor, is an error at its location.
FailureOr<SmallVector<LaunchFunction>> collectLaunchFunctions(ModuleOp module);

/// Adds the interface of each function f to translated host code: `f_launch`,
/// `f_signature` and `_mlir_ciface_f` (docs/GPU.md), and the runtime of
/// runtime/cuda. `cubin` may be empty.
llvm::Error addGPUHost(llvm::Module &module, ArrayRef<LaunchFunction> functions,
                       StringRef chip, StringRef cubin);

} // namespace mlir::norm

#endif // NORM_LIB_COMPILER_NVVM_GPUHOST_H

//===- TVMFFI.h - functions that the TVM FFI calls --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_COMPILER_CPU_TVMFFI_H
#define NORM_LIB_COMPILER_CPU_TVMFFI_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace mlir::norm {

/// A public function with the type that it has in the source.
struct TVMFFIFunction {
  std::string name;
  FunctionType type;
};

/// Collects the public functions of a module on tensors. A parameter or result
/// that is not a tensor of a type that DLPack names is an error.
FailureOr<SmallVector<TVMFFIFunction>> collectTVMFFIFunctions(ModuleOp module);

/// Adds `__tvm_ffi_f` for each function f to translated code, and the runtime
/// of runtime/cpu/TVMFFI.cpp. Assertions that fail become errors of the call.
llvm::Error addTVMFFIEntries(llvm::Module &module,
                             ArrayRef<TVMFFIFunction> functions);

} // namespace mlir::norm

#endif // NORM_LIB_COMPILER_CPU_TVMFFI_H

//===- Codegen.h - LLVM dialect to machine code -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_CODEGEN_H
#define NORM_COMPILER_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "norm/Pipelines/Pipelines.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::norm {

/// What the machine code is for.
struct TargetSpec {
  std::string triple; ///< empty: this host
  std::string cpu;    ///< "native": this machine with all its features; empty:
                      ///< x86-64-v3 on x86-64, else generic
  std::string features; ///< added to the CPU's, such as "+bf16,-sve"
};

/// The x86-64 or AArch64 machine of `spec`; an unknown name is an error.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &spec);

/// What norm-to-cpu has to know of `machine`.
void setTarget(CPUPipelineOptions &options, const llvm::TargetMachine &machine);

/// Translates a module of the LLVM dialect, lets `extend` add to it, makes
/// everything but the functions `_mlir_ciface_*` and those with the attribute
/// kExportAttribute internal, and optimises at the level of `machine`.
/// Diagnostics go to the module's context.
FailureOr<std::unique_ptr<llvm::Module>>
translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                  llvm::TargetMachine &machine,
                  function_ref<llvm::Error(llvm::Module &)> extend = nullptr);

/// Assembly or an object file of an optimised module.
llvm::Error emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                            bool assembly, SmallVectorImpl<char> &out);

struct LinkOptions {
  bool openmp = false; ///< calls OpenMP's runtime
  bool gpu = false;    ///< has the CUDA runtime inside
};

/// Links an object file to a shared object that binds its own symbols, with
/// the C compiler driver for `triple` found on PATH.
llvm::Error linkShared(StringRef object, StringRef output,
                       const llvm::Triple &triple, const LinkOptions &options);

} // namespace mlir::norm

#endif // NORM_COMPILER_CODEGEN_H

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
#include "norm/Compiler/Options.h"
#include "norm/Pipelines/Pipelines.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::norm {

/// Creates the x86-64 or AArch64 machine of `spec`; unknown names are errors.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const MachineSpec &spec);

/// Sets the options of norm-to-cpu that depend on `machine`.
void setTarget(CPUPipelineOptions &options, const llvm::TargetMachine &machine);

/// The attribute of functions that must stay visible.
constexpr llvm::StringLiteral kExportAttribute = "norm-export";

/// Translates a module in the LLVM dialect, calls `extend` to add to it, makes
/// all functions internal except `_mlir_ciface_*` and those with the attribute
/// kExportAttribute, and optimizes at the level of `machine`. Diagnostics go to
/// the module's context.
FailureOr<std::unique_ptr<llvm::Module>>
translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                  llvm::TargetMachine &machine,
                  function_ref<llvm::Error(llvm::Module &)> extend = nullptr);

/// Links bitcode of runtime/, which supports any LP64 Linux: its own triple is
/// that of its compilation.
llvm::Error linkRuntime(llvm::Module &module, ArrayRef<unsigned char> bitcode);

/// Returns the results that a compiled function does not write to buffers.
SmallVector<Type> getScalars(TypeRange results);

/// Fails if a result is written over an argument, which `option` does not do.
LogicalResult verifyWritesOverNone(ModuleOp module, StringRef option);

/// Whether MLIR's C interface writes `scalars` to a struct, whose address is
/// the first argument. Otherwise there is one at most, which is returned.
bool isWrittenToStruct(ArrayRef<Type> scalars);

/// What addPackedEntry's functions are called for callers that learn the types
/// when they run.
constexpr llvm::StringLiteral kPackedPrefix = "_norm_packed_";

/// Adds `void name(void **args)`, which calls `function`, whose results in the
/// source are `results`. A memref argument is the address of its descriptor, a
/// scalar the address of its value; the addresses of scalar results are last.
llvm::Function *addPackedEntry(llvm::Function &function, const Twine &name,
                               TypeRange results);

/// Writes an optimized module as assembly or as an object file to `out`.
llvm::Error emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                            bool assembly, SmallVectorImpl<char> &out);

struct LinkOptions {
  bool openmp = false; ///< the code calls OpenMP's runtime
  bool gpu = false;    ///< the code contains the CUDA runtime
};

/// Links an object file to a shared object that binds its own symbols, with the
/// C compiler driver for `triple` found on PATH.
llvm::Error linkShared(StringRef object, StringRef output,
                       const llvm::Triple &triple, const LinkOptions &options);

} // namespace mlir::norm

#endif // NORM_COMPILER_CODEGEN_H

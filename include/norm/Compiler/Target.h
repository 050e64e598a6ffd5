//===- Target.h - a machine that programs are compiled for ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is one object: its pipeline, what can be written for it, and how its
// code runs in this process. A new one is a folder with a class, and one call
// of registerTarget.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_TARGET_H
#define NORM_COMPILER_TARGET_H

#include "norm/Compiler/Codegen.h"
#include "norm/Compiler/Options.h"
#include "norm/Pipelines/Pipelines.h"

namespace mlir::norm {

/// What native code needs where this process runs it.
struct HostRuntime {
  struct Symbol {
    const char *name;
    void *address;
  };
  ArrayRef<Symbol> symbols; ///< that the process does not export
  /// The error of the last call, once; null: it had none.
  const char *(*takeError)() = [] { return (const char *)nullptr; };
  llvm::CodeGenOptLevel optLevel = llvm::CodeGenOptLevel::Aggressive;
};

class Target {
public:
  virtual ~Target() = default;

  /// As --target takes it.
  virtual StringRef getName() const = 0;
  virtual ArrayRef<Emit> getEmits() const = 0;
  /// Those of getGivenOptions that mean something here.
  virtual ArrayRef<StringRef> getOptions() const = 0;
  /// Whether the options go together. Errors are diagnostics at `module`.
  virtual LogicalResult verify(ModuleOp module,
                               const CompileOptions &options) const {
    return success();
  }
  /// The passes from `module`, which they do not change yet, up to a stage. An
  /// unknown machine is an error.
  virtual llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                                    const CompileOptions &options,
                                    Stage upTo) const = 0;
  /// Compiles `module` in place and writes LLVM IR, assembly, an object or
  /// kernels, as `emit` says.
  virtual LogicalResult writeCode(ModuleOp module,
                                  const CompileOptions &options, Emit emit,
                                  raw_ostream &os) const;
  /// Declares in C what the code of `module`, on tensors, has.
  virtual LogicalResult writeHeader(ModuleOp module, StringRef guard,
                                    raw_ostream &os) const;
  virtual LinkOptions getLinkOptions(const CompileOptions &options) const {
    return {};
  }
  /// Null: the pipeline makes no code that this process can run.
  virtual const HostRuntime *getHostRuntime() const { return nullptr; }
};

const Target &getCPUTarget();
const Target &getNVVMTarget();

/// Adds a target to "cpu" and "nvvm". It must live as long as the process; one
/// whose name is taken is not added.
void registerTarget(const Target &target);
ArrayRef<const Target *> getTargets();
/// The target of that name; unknown ones are an error that lists the known.
llvm::Expected<const Target *> lookupTarget(StringRef name);

/// Runs the target's passes on `module`.
LogicalResult lowerModule(ModuleOp module, const Target &target,
                          const CompileOptions &options,
                          Stage upTo = Stage::LLVM);

/// The LLVM IR of a lowered module, as `emit` asks for it: text, assembly or an
/// object.
LogicalResult writeNativeCode(ModuleOp module, llvm::Module &ir,
                              llvm::TargetMachine &machine, Emit emit,
                              raw_ostream &os);

/// Reports an error of LLVM's as a diagnostic at `module`.
LogicalResult reportError(ModuleOp module, llvm::Error error);

} // namespace mlir::norm

#endif // NORM_COMPILER_TARGET_H

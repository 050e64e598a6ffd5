//===- Target.h - a machine that programs are compiled for ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is one object: its pipeline, the files that it can write, and how
// its code runs in this process. A new target is a folder with one class and
// one call of registerTarget.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_TARGET_H
#define NORM_COMPILER_TARGET_H

#include "norm/Compiler/Codegen.h"
#include "norm/Compiler/Options.h"
#include "norm/Pipelines/Pipelines.h"

namespace mlir::norm {

/// The parts that native code needs to run in this process.
struct HostRuntime {
  struct Symbol {
    const char *name;
    void *address;
  };
  ArrayRef<Symbol> symbols; ///< those that the process does not export
  /// Returns the error of the last call and clears it; null if there was none.
  const char *(*takeError)() = [] { return (const char *)nullptr; };
  llvm::CodeGenOptLevel optLevel = llvm::CodeGenOptLevel::Aggressive;
};

class Target {
public:
  virtual ~Target() = default;

  /// Returns the name that --target takes.
  virtual StringRef getName() const = 0;
  virtual ArrayRef<Emit> getEmits() const = 0;
  /// Returns the names of getGivenOptions that this target supports.
  virtual ArrayRef<StringRef> getOptions() const = 0;
  /// Checks the options together. Errors are diagnostics at `module`.
  virtual LogicalResult verify(ModuleOp module,
                               const CompileOptions &options) const {
    return success();
  }
  /// Sets the numbers of `module`'s norm.row_target that this machine has
  /// others of, unless it gives them. An unknown machine is an error.
  virtual llvm::Error setRowTarget(ModuleOp module,
                                   const CompileOptions &options) const {
    return llvm::Error::success();
  }
  /// Adds the passes that lower `module` to the stage `upTo`; `module` itself
  /// is not changed. An unknown machine is an error.
  virtual llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                                    const CompileOptions &options,
                                    Stage upTo) const = 0;
  /// Compiles `module` in place and writes LLVM IR, assembly, an object or
  /// kernels, as `emit` says.
  virtual LogicalResult writeCode(ModuleOp module,
                                  const CompileOptions &options, Emit emit,
                                  raw_ostream &os) const;
  /// Writes C declarations of the functions of `module`, which is on tensors.
  virtual LogicalResult writeHeader(ModuleOp module, raw_ostream &os) const;
  virtual LinkOptions getLinkOptions(const CompileOptions &options) const {
    return {};
  }
  /// Returns null where this process cannot run the pipeline's code.
  virtual const HostRuntime *getHostRuntime() const { return nullptr; }
};

const Target &getCPUTarget();
const Target &getNVVMTarget();

/// Adds a target to "cpu" and "nvvm". It must live as long as the process. A
/// target whose name is taken is ignored.
void registerTarget(const Target &target);
ArrayRef<const Target *> getTargets();
/// Returns the target called `name`, or an error that lists the known names.
llvm::Expected<const Target *> lookupTarget(StringRef name);

/// Adds norm-to-mpi, which leaves the program of one of `options.ranks` ranks.
void buildRanksPipeline(OpPassManager &pm, const CompileOptions &options);

/// Runs the target's passes on `module`.
LogicalResult lowerModule(ModuleOp module, const Target &target,
                          const CompileOptions &options,
                          Stage upTo = Stage::LLVM);

/// Writes `ir`, the translation of the lowered `module`, as text, assembly or
/// an object, as `emit` says.
LogicalResult writeNativeCode(ModuleOp module, llvm::Module &ir,
                              llvm::TargetMachine &machine, Emit emit,
                              raw_ostream &os);

/// Reports an LLVM error as a diagnostic at `module`.
LogicalResult reportError(ModuleOp module, llvm::Error error);

} // namespace mlir::norm

#endif // NORM_COMPILER_TARGET_H

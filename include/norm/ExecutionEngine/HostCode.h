//===- HostCode.h - machine code for this process ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_EXECUTIONENGINE_HOSTCODE_H
#define NORM_EXECUTIONENGINE_HOSTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "norm/Compiler/Options.h"
#include "norm/Compiler/ShapeFunctions.h"
#include "norm/Compiler/Target.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::norm {

/// An object file for this process: made, perhaps kept in a file, and loaded.
class HostCode {
public:
  ~HostCode();

  /// Compiles a copy of `module` for a target that this process can run, by
  /// default for this machine ("native"). Errors are diagnostics with
  /// locations.
  static FailureOr<SmallVector<char, 0>>
  compile(ModuleOp module, const CompileOptions &options,
          ExtentChecks checks = ExtentChecks::None);

  /// What the code finds beside the symbols of this process.
  struct Environment {
    ArrayRef<HostRuntime::Symbol> symbols; ///< these win
    std::string openmpLibrary;             ///< a file; empty: none
  };
  static llvm::Expected<std::unique_ptr<HostCode>>
  load(StringRef object, const Environment &environment);

  /// Returns a function that takes the addresses of the memref descriptors of
  /// inputs and outputs.
  llvm::Expected<void (*)(void **)> lookup(StringRef function);

  /// Calls what lookup has returned. An assertion that fails in this thread is
  /// an error; what the function had allocated until then is not freed.
  /// Without this function it ends the process.
  static llvm::Error call(void (*entry)(void **), void **arguments);

private:
  HostCode();

  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace mlir::norm

#endif // NORM_EXECUTIONENGINE_HOSTCODE_H

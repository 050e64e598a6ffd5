//===- CompiledModule.h - compile in memory and call ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_EXECUTIONENGINE_COMPILEDMODULE_H
#define NORM_EXECUTIONENGINE_COMPILEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "norm/Compiler/Options.h"
#include "norm/ExecutionEngine/HostCode.h"
#include "norm/ExecutionEngine/HostTensor.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::norm {
struct HostRuntime;

/// The machine code of a module's public functions in this process.
class CompiledModule {
public:
  ~CompiledModule();

  /// Compiles a copy of `module` for a target that this process can run, by
  /// default for this machine ("native"). Errors are diagnostics with
  /// locations.
  static FailureOr<std::unique_ptr<CompiledModule>>
  compile(ModuleOp module, const CompileOptions &options);

  /// Returns the type by which `function` of the source is called (getCallType
  /// in norm/IR/Norm.h); null if unknown.
  FunctionType getFunctionType(StringRef function) const;

  /// Calls a function on `inputs`, one per parameter, and returns one tensor
  /// per result. Dynamic extents of results are computed from the inputs, and
  /// those of inputs have to fit each other as the ops of the program say. A
  /// memref parameter is the input's own memory, which the function may write.
  /// Errors of the target's runtime and assertions that fail are returned.
  llvm::Expected<SmallVector<HostTensor>> call(StringRef function,
                                               ArrayRef<HostTensor *> inputs);

  /// A call whose buffers are bound once, so that it can be timed.
  class Invocation {
  public:
    void operator()() { entry(arguments.data()); }

  private:
    friend class CompiledModule;
    void (*entry)(void **) = nullptr;
    SmallVector<void *> arguments;
    std::vector<std::unique_ptr<int64_t[]>> storage;
  };
  /// Binds the buffers of a call. `outputs` must have the shapes of the
  /// results, and the tensors must outlive the invocation.
  llvm::Expected<Invocation> bind(StringRef function,
                                  ArrayRef<HostTensor *> inputs,
                                  ArrayRef<HostTensor *> outputs);
  /// Returns the function itself, for buffers that are not HostTensors. It
  /// takes the addresses of the memref descriptors of inputs and outputs.
  llvm::Expected<void (*)(void **)> lookup(StringRef function);
  /// Creates outputs of zeros with the right shapes for `inputs`.
  llvm::Expected<SmallVector<HostTensor>>
  createOutputs(StringRef function, ArrayRef<HostTensor *> inputs);

private:
  CompiledModule();

  const HostRuntime *runtime = nullptr;
  llvm::StringMap<FunctionType> functions;
  std::unique_ptr<HostCode> code;
};

} // namespace mlir::norm

#endif // NORM_EXECUTIONENGINE_COMPILEDMODULE_H

//===- Compile.h - compile a module to a file -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_COMPILE_H
#define NORM_COMPILER_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "norm/Compiler/Codegen.h"
#include "norm/Compiler/PassRunner.h"

namespace mlir::norm {

enum class Emit {
  Norm,
  Linalg,
  Vector,
  LLVMDialect,
  LLVMIR,
  Assembly,
  Object,
  Shared,
  Header,
  PTX,
  Cubin
};

struct EmitOptions {
  Emit emit = Emit::Object;
  bool nvvm = false;
  TargetSpec target;            ///< of the CPU's code
  std::string chip = "sm_90";   ///< for nvvm
  std::string ptxVersion;       ///< such as 8.0; empty: the least of the chip
  bool dependentLaunch = false; ///< norm-dependent-launch
  bool evictionHints = false;   ///< norm-stream-gpu-accesses
  std::string cudaPath;         ///< toolkit; empty: findCUDAToolkit's
  unsigned threads = 1;
  bool dispatch = false; ///< code for each of getDispatchedLevels (x86-64)
  std::string rounding = "default";
  bool verifyBuffers = false; ///< norm-verify-buffers, on the CPU
  PassRunner runner;          ///< empty: the passes just run
};

/// What a pipeline takes of the options of a compilation: --report runs the
/// pipeline that emitFile does.
void setOptions(NVVMPipelineOptions &nvvm, const EmitOptions &options);
void setOptions(CPUPipelineOptions &cpu, const EmitOptions &options,
                const llvm::TargetMachine &machine);

/// PTX and Cubin write the kernels of the whole program as one image. With
/// nvvm, Object and Shared hold that image and all that launches it
/// (docs/GPU.md), and LLVMIR calls MLIR's `mgpu*` functions.
/// Compiles `module` in place and writes `output` ("-": standard output).
/// Errors are diagnostics; on one of them no file is left.
LogicalResult emitFile(ModuleOp module, const EmitOptions &options,
                       StringRef output);

} // namespace mlir::norm

#endif // NORM_COMPILER_COMPILE_H

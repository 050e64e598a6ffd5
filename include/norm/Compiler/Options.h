//===- Options.h - what a compilation is asked for --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_OPTIONS_H
#define NORM_COMPILER_OPTIONS_H

#include "norm/Compiler/PassRunner.h"
#include "norm/Recognition/Recognize.h"
#include <string>

namespace mlir::norm {

/// What is written: a stage of the pipeline, a stage of code generation, or
/// what other programs take.
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
/// As --emit names it.
StringRef stringifyEmit(Emit emit);

/// The machine that runs native code, also that which launches kernels.
struct MachineSpec {
  std::string triple; ///< empty: this host
  std::string cpu;    ///< "native": this machine with all its features; empty:
                      ///< x86-64-v3 on x86-64, else generic
  std::string features; ///< added to the CPU's, such as "+bf16,-sve"
};

/// The command line, the C API and the tests fill it, and a target takes what
/// it has a use for. What another target alone takes must be at its default.
struct CompileOptions {
  std::string target = "cpu"; ///< the name of a Target
  Emit emit = Emit::Object;
  Rounding rounding = Rounding::Default;
  MachineSpec machine;
  PassRunner runner; ///< empty: the passes just run

  // Of the CPU.
  unsigned threads = 1;       ///< over 1: rows in parallel, OpenMP
  bool dispatch = false;      ///< code for each of getDispatchedLevels
  bool verifyBuffers = false; ///< norm-verify-buffers
  int64_t cacheBytes = 0;  ///< from which on rows are streamed; 0: as measured
  int64_t grain = 1048576; ///< bytes from which on threads are started

  // Of a GPU.
  std::string chip = "sm_90";
  std::string ptxVersion;       ///< such as 8.0; empty: the least of the chip
  std::string cudaPath;         ///< toolkit; empty: findCUDAToolkit's
  bool dependentLaunch = false; ///< norm-dependent-launch
  bool evictionHints = false;   ///< norm-stream-gpu-accesses
};

/// The names, as on the command line, of the options of one kind of machine
/// that are not at their defaults.
SmallVector<StringRef> getGivenOptions(const CompileOptions &options);

} // namespace mlir::norm

#endif // NORM_COMPILER_OPTIONS_H

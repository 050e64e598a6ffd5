//===- Options.h - what a compilation is asked for --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_OPTIONS_H
#define NORM_COMPILER_OPTIONS_H

#include "norm/Compiler/PassRunner.h"
#include "norm/Products/Products.h"
#include "norm/Recognition/Recognize.h"
#include <string>

namespace mlir::norm {

/// The output: a stage of the pipeline, a stage of code generation, or a file
/// for other programs.
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
/// Returns the name that --emit takes.
StringRef stringifyEmit(Emit emit);

/// How others call the functions of native code: by `_mlir_ciface_f`, or by the
/// calling convention of the TVM FFI too.
enum class Entry { C, TVMFFI };

/// The machine that runs native code, or that launches the kernels.
struct MachineSpec {
  std::string triple; ///< empty: this host
  std::string cpu;    ///< "native": this machine with all its features; empty:
                      ///< x86-64-v3 on x86-64, else generic
  std::string features; ///< added to the CPU's, such as "+bf16,-sve"
};

/// The options of the command line, the C API and the tests. A target uses
/// those that apply to it; the others must have their default values.
struct CompileOptions {
  std::string target = "cpu"; ///< the name of a Target
  Emit emit = Emit::Object;
  Rounding rounding = Rounding::Default;
  MachineSpec machine;
  PassRunner runner; ///< empty: `pm.run`

  // The CPU target has these.
  unsigned threads = 1; ///< above 1: rows run in parallel with OpenMP
  Products products = Products::Blocks;
  Entry entry = Entry::C;
  bool dispatch = false;      ///< code for each of getDispatchedLevels
  bool verifyBuffers = false; ///< norm-verify-buffers
  unsigned minLoops = 32;     ///< norm-outline-loops
  uint64_t cacheBytes = 0;    ///< rows stream from this size on; 0: measured
  uint64_t grain = 1048576;   ///< threads start from this number of bytes on
  unsigned ranks = 0;        ///< above 0: the program of one rank (norm-to-mpi)
  int64_t sumParts = 0;      ///< norm-split-sums; 0: one sum a rank
  std::string mpi = "MPICH"; ///< or OpenMPI: whose calls a rank makes

  // The GPU target has these.
  std::string chip = "sm_90";
  std::string ptxVersion;       ///< such as 8.0; empty: the lowest of the chip
  std::string cudaPath;         ///< the toolkit; empty: findCUDAToolkit's
  bool dependentLaunch = false; ///< of norm-annotate-kernels
  bool packed = false;          ///< host code has kPackedPrefix functions too
};

/// Returns the command-line names of the target-specific options that differ
/// from their defaults.
SmallVector<StringRef> getGivenOptions(const CompileOptions &options);

} // namespace mlir::norm

#endif // NORM_COMPILER_OPTIONS_H

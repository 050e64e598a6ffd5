//===- SharedThreads.h - threads that the process has -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code calls LLVM's OpenMP runtime
// (openmp/runtime/src/kmp_csupport.cpp has the interface). Torch brings the GNU
// runtime, whose threads stay busy for a while behind each region, as LLVM's
// do: on one machine both wait for each other. Where the GNU runtime is loaded,
// its threads run the code instead.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_SHAREDTHREADS_H
#define NORM_PYTHON_SHAREDTHREADS_H

#include "norm/Compiler/Target.h"

namespace norm_python {

/// Returns definitions of what compiled code calls of OpenMP by the threads of
/// the GNU runtime; none if this process has not loaded it. A process that was
/// forked has no such threads, and runs the code in one.
llvm::ArrayRef<mlir::norm::HostRuntime::Symbol> getSharedThreads();

} // namespace norm_python

#endif // NORM_PYTHON_SHAREDTHREADS_H

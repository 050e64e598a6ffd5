//===- Assertions.h - failed assertions of compiled code --------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// norm-call-libc writes the message to standard error and aborts. Code in
// this process calls these functions instead, so that the caller gets it.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_ASSERTIONS_H
#define NORM_PYTHON_ASSERTIONS_H

#include "norm/Compiler/Target.h"
#include <string>

namespace norm_python {

/// Definitions of `write` and `abort` for compiled code.
llvm::ArrayRef<mlir::norm::HostRuntime::Symbol> getAssertionSymbols();

/// Calls `entry`. Returns the message of the assertion that failed in this
/// thread, or an empty string. What the function had allocated until then is
/// not freed.
std::string runAsserted(void (*entry)(void **), void **arguments);

} // namespace norm_python

#endif // NORM_PYTHON_ASSERTIONS_H

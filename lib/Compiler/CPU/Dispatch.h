//===- Dispatch.h - code for several CPUs in one module ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_CPU_DISPATCH_H
#define NORM_COMPILER_CPU_DISPATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::norm {

/// A microarchitecture level of the x86-64 psABI, as LLVM names it.
struct X86Level {
  int level;
  llvm::StringLiteral cpu;
};

/// What norm-compile --dispatch compiles for, the least first.
llvm::ArrayRef<X86Level> getDispatchedLevels();

/// One module of `variants`, the same program translated for each of
/// getDispatchedLevels. Each of its functions `_mlir_ciface_f` calls the
/// variant of the highest level that the machine has (runtime/cpu), which is
/// internal and named `_mlir_ciface_f.x86-64-v3`. The code generator of the
/// least level takes the whole: each function says what it is for.
///
/// Errors: a function with vectors among its arguments, which levels pass in
/// different registers; a global that is visible outside.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkVariants(llvm::MutableArrayRef<std::unique_ptr<llvm::Module>> variants);

} // namespace mlir::norm

#endif // NORM_COMPILER_CPU_DISPATCH_H

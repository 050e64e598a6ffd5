//===- Dispatch.h - code for several CPUs in one module ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_COMPILER_CPU_DISPATCH_H
#define NORM_LIB_COMPILER_CPU_DISPATCH_H

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

/// Returns the levels that norm-compile --dispatch targets, lowest first.
llvm::ArrayRef<X86Level> getDispatchedLevels();

/// Links `variants`, translations of one program per dispatched level, into one
/// module. Each function `_mlir_ciface_f` calls the variant for the highest
/// level of the machine (runtime/cpu); variants are internal and named as in
/// `_mlir_ciface_f.x86-64-v3`. The code generator of the lowest level compiles
/// the module, because each function states its own target.
///
/// Functions with vector arguments, which levels pass in different registers,
/// and globals with external visibility are errors.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkVariants(llvm::MutableArrayRef<std::unique_ptr<llvm::Module>> variants);

} // namespace mlir::norm

#endif // NORM_LIB_COMPILER_CPU_DISPATCH_H

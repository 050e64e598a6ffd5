//===- Upstream.h - programs that upstream crashes on -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt crashes on these too: docs/Limits.md has the list. They would end
// the run each time, so they are left out, by checks as narrow as can be.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_FUZZ_UPSTREAM_H
#define NORM_TEST_FUZZ_UPSTREAM_H

#include "mlir/IR/BuiltinOps.h"

namespace fuzz {
/// By its text; docs/Limits.md lists them.
bool crashesParser(llvm::StringRef text);
/// To be asked before the module is verified.
bool crashesUpstream(mlir::ModuleOp module);
} // namespace fuzz

#endif // NORM_TEST_FUZZ_UPSTREAM_H

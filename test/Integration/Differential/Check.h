//===- Check.h - one program by both pipelines ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_CHECK_H
#define NORM_TEST_CHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace norm_test {

/// A module's text, where it comes from, and data that is stored for it.
struct Program {
  std::string path; ///< with "#2" behind it for the second part of a file
  std::string text;
  std::vector<std::string> inputs, expected; ///< .npy files of its one function
};

struct CheckOptions {
  bool simt = true;
  std::string cpu = "native"; ///< that all code is for
  std::string function;       ///< empty: all of them in one module
  std::string save;           ///< a folder for what norm-run needs; empty: none
  std::string wrong;          ///< how results are made wrong; empty: not at all
};

/// What a program is being compiled or run by; a crash is its fault.
constexpr llvm::StringLiteral kReferencePhase = "reference";

/// Compiles and runs `program` and writes a line for each thing that is found,
/// fields separated by tabs:
///   function NAME          there is one that can be called
///   phase NAME             what comes next
///   skip FUNCTION REASON   not compared
///   run MODE COUNT         so many calls agreed
///   reject FUNCTION MODE MESSAGE
///   fail FUNCTION MODE INPUTS MESSAGE
/// False where functions have to be tried one by one.
bool check(const Program &program, const CheckOptions &options,
           llvm::raw_ostream &os);

} // namespace norm_test

#endif // NORM_TEST_CHECK_H

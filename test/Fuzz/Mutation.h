//===- Mutation.h - changes to the text of a program ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes at the grain of MLIR's text: lines, and tokens for others of their
// kind, often everywhere at once, so that types still agree and many of the
// results are valid programs.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_FUZZ_MUTATION_H
#define NORM_TEST_FUZZ_MUTATION_H

#include "llvm/ADT/StringRef.h"
#include <random>
#include <string>

namespace fuzz {
using Random = std::minstd_rand;

/// One change at random; the text itself where it has nothing to change.
std::string mutate(llvm::StringRef text, Random &random);

/// Lines of `other` within `text`, or both programs, one after the other.
std::string join(llvm::StringRef text, llvm::StringRef other, Random &random);
} // namespace fuzz

#endif // NORM_TEST_FUZZ_MUTATION_H

//===- Tokens.h - the words of MLIR's text ----------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_FUZZ_TOKENS_H
#define NORM_TEST_FUZZ_TOKENS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace fuzz {
struct Token {
  enum Kind {
    Extent,  ///< 4096 in tensor<4096xf32>, and ?
    Type,    ///< f32
    Integer, ///< 1 in dims = [1]
    Float,   ///< 1.0e-6
    Value,   ///< %x
    Symbol,  ///< @main, #map
    Dim,     ///< d0
    Op,      ///< arith.mulf
    Keyword, ///< parallel, tensor, dims
  };
  static constexpr int kNumKinds = Keyword + 1;
  Kind kind;
  llvm::StringRef text; ///< within the program
};

llvm::SmallVector<Token> tokenize(llvm::StringRef text);

/// Known words that can stand for a token; none for names of the program.
llvm::ArrayRef<llvm::StringRef> getWords(const Token &token);
} // namespace fuzz

#endif // NORM_TEST_FUZZ_TOKENS_H

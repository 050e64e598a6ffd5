//===- Program.h - unfused programs to measure ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_PROGRAM_H
#define NORM_TOOLS_NORM_BENCH_PROGRAM_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir::norm {

/// A function @main on [rows, cols] in linalg, with one op per step as front
/// ends emit them, printed from a template of benchmarks/programs.
struct BenchProgram {
  std::string variant; ///< one of getVariants
  std::string type;    ///< f32, f16 or bf16
  int64_t rows;        ///< ShapedType::kDynamic: any number
  int64_t cols;

  static constexpr int64_t kHeadLength = 128;

  std::string getName() const; ///< "llama f32 2048x4096"
  std::string getRowsText() const;
  std::string print() const;
  /// Returns true if the operands are only x, a weight and y.
  bool isWeightedNorm() const {
    return variant == "llama" || variant == "gemma";
  }
  /// Returns true if a row is divided into heads, which are normalized alone.
  bool hasHeads() const {
    return variant == "rotary" || variant == "rotary-interleaved";
  }
  /// Returns true if two numbers are written as one byte.
  bool hasPairs() const { return variant == "mxfp4" || variant == "nvfp4"; }
  /// Returns true if the number of rows is an extent of another argument.
  bool needsRows() const {
    return variant == "channels" || variant == "transpose" ||
           variant == "permuted";
  }
};

/// Returns the names and summaries of benchmarks/programs that are programs.
SmallVector<std::pair<StringRef, StringRef>> getVariants();

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_PROGRAM_H

//===- BF16Rounding.h - who rounds f32 to bf16 ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_FLOATS_BF16ROUNDING_H
#define NORM_FLOATS_BF16ROUNDING_H

#include "llvm/Support/CommandLine.h"

namespace mlir::norm {

/// Who rounds f32 to bf16.
enum class BF16Rounding {
  Integers, ///< arithmetic on integers
  Pairs,    ///< the same, even and odd elements apart: little-endian machines
  Hardware  ///< an instruction, so arith.truncf stays
};

inline llvm::cl::ValuesClass getBF16RoundingValues() {
  return llvm::cl::values(
      clEnumValN(BF16Rounding::Integers, "integers", "Integer operations"),
      clEnumValN(BF16Rounding::Pairs, "pairs",
                 "Integer operations, even and odd elements apart"),
      clEnumValN(BF16Rounding::Hardware, "hardware",
                 "An instruction of the machine"));
}

} // namespace mlir::norm

#endif // NORM_FLOATS_BF16ROUNDING_H

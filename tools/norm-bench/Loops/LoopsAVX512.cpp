//===- LoopsAVX512.cpp - the loops with vectors of 512 bits ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

void mlir::norm::runLoopsAVX512(const NormLoopsRows &rows, bool stream) {
  runVectors<64>(rows, stream);
}

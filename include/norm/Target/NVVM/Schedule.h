//===- Schedule.h - how threads share a row ---------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of the NVVM path, all of it.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_SCHEDULE_H
#define NORM_TARGET_NVVM_SCHEDULE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::norm {

/// I64 attributes of a row loop: RowSchedule's threads and vector.
constexpr llvm::StringLiteral threadsAttrName = "norm.threads";
constexpr llvm::StringLiteral vectorAttrName = "norm.vector";

/// Threads of a warp, for shuffles.
constexpr int64_t warpSize = 32;

struct RowSchedule {
  int64_t threads; ///< that share a row: a power of two in [32, 1024]
  int64_t vector;  ///< neighbouring elements a thread accesses at once: 1 to 16
  int64_t chunks;  ///< such vectors a thread holds at once

  /// Elements that the threads hold together; a longer row is done in strips.
  int64_t getLanes() const { return threads * vector * chunks; }
};

/// `extent`: elements of a row, or ShapedType::kDynamic. `divisor`: a number
/// that divides the extent of every access to the row (0: unknown). `bytes`:
/// size of the narrowest element type.
///
/// A thread gets about 16 elements (enough loads in flight), at most 24: 1024
/// threads have 64 registers each, and 32 elements were seen to spill.
RowSchedule chooseRowSchedule(int64_t extent, int64_t divisor, int64_t bytes);

} // namespace mlir::norm

#endif // NORM_TARGET_NVVM_SCHEDULE_H

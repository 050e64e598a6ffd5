//===- Schedule.cpp - how threads share a row -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Target/NVVM/Schedule.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::norm;

static constexpr int64_t accessBytes = 16; // ld.global.v4.b32
static constexpr int64_t elementsAThread = 16;
static constexpr int64_t maxElementsAThread = 24;
static constexpr int64_t maxThreads = 1024;

RowSchedule norm::chooseRowSchedule(int64_t extent, int64_t divisor,
                                    int64_t bytes) {
  RowSchedule schedule;
  schedule.vector = accessBytes / bytes;
  while (divisor > 0 && divisor % schedule.vector != 0)
    schedule.vector /= 2;
  int64_t strip = std::max<int64_t>(1, elementsAThread / schedule.vector);
  if (ShapedType::isDynamic(extent)) {
    schedule.threads = 256;
    schedule.chunks = strip;
    return schedule;
  }
  int64_t count = std::max<int64_t>(extent, 1);
  int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(count, elementsAThread));
  schedule.threads = std::clamp(wanted, warpSize, maxThreads);
  bool fits = count <= schedule.threads * maxElementsAThread;
  schedule.chunks =
      fits ? llvm::divideCeil(count, schedule.threads * schedule.vector)
           : strip;
  return schedule;
}

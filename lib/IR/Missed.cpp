//===- Missed.cpp - why code generation left an op as it is ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/IR/Missed.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/DebugLog.h"
#include <mutex>

using namespace mlir;

static constexpr struct {
  const char *name, *pass, *text;
} reasons[] = {
#define MISSED(name, pass, text) {#name, pass, text},
#include "norm/IR/Missed.def"
#undef MISSED
};

void norm::missed(Operation *op, Missed reason) {
  const auto &[name, pass, text] = reasons[static_cast<unsigned>(reason)];
  LDBG(pass, 1) << name << ": " << text << ": " << *op;
  // Upstream: LLVM 22.1: remark engines take no lock, and passes on functions
  // run in threads; goes when they do.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  remark::missed(op->getLoc(), remark::RemarkOpts::name(name).category(pass))
      << text;
}

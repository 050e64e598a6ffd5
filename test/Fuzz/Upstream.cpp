//===- Upstream.cpp - programs that upstream crashes on -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Upstream.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

/// Dimensions that are out of bounds or named twice.
static bool isBadBroadcast(linalg::BroadcastOp op) {
  auto init = dyn_cast<ShapedType>(op.getInit().getType());
  llvm::SmallSet<int64_t, 4> seen;
  for (int64_t dim : op.getDimensions())
    if (!init || !init.hasRank() || dim < 0 || dim >= init.getRank() ||
        !seen.insert(dim).second)
      return true;
  return false;
}

/// Upstream takes a list that has errors for a null attribute, and reads it.
static bool hasBadDimensions(StringRef text) {
  llvm::Regex op("linalg\\.(broadcast|transpose|reduce)");
  llvm::Regex list("(dimensions|permutation) = "
                   "\\[ *([0-9]{1,18} *(, *[0-9]{1,18} *)*)?\\]");
  return llvm::any_of(llvm::split(text, '\n'), [&](StringRef line) {
    return op.match(line) && !list.match(line);
  });
}

/// Upstream's message about another iterator type reads a dead temporary.
static bool hasBadIterator(StringRef text) {
  llvm::Regex list("iterator_types *= *\\[([^]]*)\\]");
  llvm::Regex good("^ *((\"parallel\"|\"reduction\") *,? *)*$");
  SmallVector<StringRef> match;
  while (list.match(text, &match)) {
    if (!good.match(match[1]))
      return true;
    text = text.drop_front(match[0].end() - text.begin());
  }
  return text.contains("iterator_types");
}

bool fuzz::crashesParser(StringRef text) {
  return hasBadDimensions(text) || hasBadIterator(text);
}

bool fuzz::crashesVerifier(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto broadcast = dyn_cast<linalg::BroadcastOp>(op);
        return broadcast && isBadBroadcast(broadcast) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

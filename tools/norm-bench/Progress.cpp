//===- Progress.cpp - a line for a person who waits
//------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::norm;

/// Returns to the first column and clears the rest of the line.
static constexpr char clearLine[] = "\r\033[K";

Progress::Progress(size_t total)
    : total(total), isShown(llvm::errs().is_displayed()) {}

void Progress::next(llvm::StringRef name) {
  ++done;
  note(name);
}

void Progress::note(llvm::StringRef text) {
  if (isShown)
    llvm::errs() << clearLine << '[' << done << '/' << total << "] " << text;
}

void Progress::clear() {
  if (isShown)
    llvm::errs() << clearLine;
}

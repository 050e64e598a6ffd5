//===- Assertions.cpp - failed assertions of compiled code ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assertions.h"
#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace norm_python;

namespace {
/// The call that runs in a thread.
struct Running {
  jmp_buf start;
  size_t size = 0;
  char message[1024];
};
} // namespace

static thread_local Running *running = nullptr;

static ssize_t writeMessage(int file, const void *data, size_t size) {
  if (!running || file != STDERR_FILENO)
    return write(file, data, size);
  size_t kept = std::min(size, sizeof(running->message) - running->size);
  memcpy(running->message + running->size, data, kept);
  running->size += kept;
  return size;
}

/// Returns to runAsserted. No frame in between has a destructor: they are
/// compiled from MLIR. A thread of OpenMP has nowhere to return to.
static void leave() {
  if (!running) {
    abort();
  }
  longjmp(running->start, 1);
}

llvm::ArrayRef<mlir::norm::HostRuntime::Symbol>
norm_python::getAssertionSymbols() {
  static const mlir::norm::HostRuntime::Symbol symbols[] = {
      {"write", reinterpret_cast<void *>(writeMessage)},
      {"abort", reinterpret_cast<void *>(leave)}};
  return symbols;
}

std::string norm_python::runAsserted(void (*entry)(void **), void **arguments) {
  Running call;
  Running *outer = running;
  running = &call;
  bool failed = setjmp(call.start) != 0;
  if (!failed)
    entry(arguments);
  running = outer;
  if (!failed)
    return {};
  llvm::StringRef text(call.message, call.size);
  return text.empty() ? "an assertion failed" : text.trim().str();
}

//===- Assertions.h - failed assertions of compiled code --------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// norm-prepare-llvm writes the message to standard error and aborts. Code that
// is linked with `write` and `leave` in place of these returns to its caller,
// who gets the message. What it had allocated until then is not freed.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CPU_ASSERTIONS_H
#define NORM_RUNTIME_CPU_ASSERTIONS_H

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace norm::cpu {

/// The call that runs in a thread.
struct AssertedCall {
  jmp_buf start;
  size_t size = 0;
  char message[1024];
};

static thread_local AssertedCall *runningCall = nullptr;

/// In place of `write`.
static ssize_t writeMessage(int file, const void *data, size_t size) {
  AssertedCall *call = runningCall;
  if (!call || file != STDERR_FILENO)
    return write(file, data, size);
  size_t left = sizeof(call->message) - 1 - call->size;
  size_t kept = size < left ? size : left;
  memcpy(call->message + call->size, data, kept);
  call->size += kept;
  return size;
}

/// In place of `abort`: returns to runAsserted. No frame in between has a
/// destructor: they are compiled from MLIR. None is in a thread of OpenMP, see
/// norm-serialize-loops.
static void leave() {
  if (!runningCall)
    abort();
  longjmp(runningCall->start, 1);
}

/// Calls `entry`. Returns the message of the assertion that failed in this
/// thread, which `call` keeps, or null.
static const char *runAsserted(void (*entry)(void **), void **arguments,
                               AssertedCall &call) {
  AssertedCall *outer = runningCall;
  runningCall = &call;
  bool failed = setjmp(call.start) != 0;
  if (!failed)
    entry(arguments);
  runningCall = outer;
  if (!failed)
    return nullptr;
  while (call.size > 0 && call.message[call.size - 1] == '\n')
    --call.size;
  call.message[call.size] = 0;
  return call.size > 0 ? call.message : "an assertion failed";
}

} // namespace norm::cpu

#endif // NORM_RUNTIME_CPU_ASSERTIONS_H

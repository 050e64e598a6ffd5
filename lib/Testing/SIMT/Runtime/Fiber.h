//===- Fiber.h - stacks to switch between -----------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TESTING_SIMT_RUNTIME_FIBER_H
#define NORM_LIB_TESTING_SIMT_RUNTIME_FIBER_H

#include <cstddef>

#if !defined(__x86_64__)
#define NORM_SIMT_UCONTEXT
#endif
#ifdef NORM_SIMT_UCONTEXT
#include <ucontext.h>
#endif

namespace mlir::norm::simt {

/// Where a flow of control that does not run goes on.
struct Context {
#ifdef NORM_SIMT_UCONTEXT
  ucontext_t registers;
#else
  void *stackPointer;
#endif
};

/// Saves the running flow in `from` and goes on in `to`.
void switchContext(Context &from, Context &to);

/// Memory for the stacks of fibers, kept from launch to launch. An overflow
/// faults on a page between two stacks.
class StackPool {
public:
  ~StackPool();
  /// At least `count` stacks; false when the machine has no memory for them.
  bool reserve(size_t count);
  /// A context that calls `entry`, which must not return, on stack `i`.
  void start(size_t i, void (*entry)(), Context &context);

private:
  void release();
  char *base = nullptr;
  size_t capacity = 0;
};

} // namespace mlir::norm::simt

#endif // NORM_LIB_TESTING_SIMT_RUNTIME_FIBER_H

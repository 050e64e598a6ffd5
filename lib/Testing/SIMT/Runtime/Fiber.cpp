//===- Fiber.cpp - stacks to switch between -------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include <cstdint>
#include <sys/mman.h>

using namespace mlir::norm::simt;

static constexpr size_t kPage = 4096;
// Mapped, not touched: a kernel's own buffers may have 16 KB each. An odd
// number of pages, or all tops of stacks would share one set of the cache.
static constexpr size_t kStackBytes = 65 * kPage;

StackPool::~StackPool() { release(); }

void StackPool::release() {
  if (base)
    munmap(base, capacity * kStackBytes);
  base = nullptr;
  capacity = 0;
}

bool StackPool::reserve(size_t count) {
  if (count <= capacity)
    return true;
  release();
  void *memory = mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  base = static_cast<char *>(memory);
  capacity = count;
  for (size_t i = 0; i < count; ++i)
    if (mprotect(base + i * kStackBytes, kPage, PROT_NONE) != 0)
      return release(), false;
  return true;
}

#ifdef NORM_SIMT_UCONTEXT

void mlir::norm::simt::switchContext(Context &from, Context &to) {
  swapcontext(&from.registers, &to.registers);
}

void StackPool::start(size_t i, void (*entry)(), Context &context) {
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = base + i * kStackBytes + kPage;
  context.registers.uc_stack.ss_size = kStackBytes - kPage;
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, entry, 0);
}

#else

// swapcontext would ask the kernel for the signal mask at each switch.
extern "C" void norm_simt_switch(void **from, void *to);
asm(R"(
.text
.p2align 4
.local norm_simt_switch
.type norm_simt_switch, @function
norm_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size norm_simt_switch, .-norm_simt_switch
)");

void mlir::norm::simt::switchContext(Context &from, Context &to) {
  norm_simt_switch(&from.stackPointer, to.stackPointer);
}

void StackPool::start(size_t i, void (*entry)(), Context &context) {
  // Tops at different places of their page spread over the cache too.
  char *top = base + (i + 1) * kStackBytes - i % 32 * 128;
  void **frame = reinterpret_cast<void **>(top) - 8;
  // Six registers, then where to return to; 8 off 16 bytes there, as after a
  // call.
  for (int r = 0; r < 6; ++r)
    frame[r] = nullptr;
  frame[6] = reinterpret_cast<void *>(entry);
  frame[7] = nullptr;
  context.stackPointer = frame;
}

#endif

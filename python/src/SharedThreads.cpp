//===- SharedThreads.cpp - threads that the process has -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedThreads.h"
#include <algorithm>
#include <cassert>
#include <cstdarg>
#include <cstdint>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <utility>

using namespace norm_python;

namespace {
/// What libgomp exports (libgomp/libgomp_g.h and omp.h).
struct GNURuntime {
  void (*parallel)(void (*task)(void *), void *data, unsigned threads,
                   unsigned flags) = nullptr;
  void (*barrier)() = nullptr;
  int (*getThread)() = nullptr;
  int (*getNumThreads)() = nullptr;
};

/// A function of compiled code that all threads of a team run.
struct Task {
  void (*run)(int32_t *thread, int32_t *bound, void *argument);
  void *argument;
};
} // namespace

/// The schedule of loops without one: each thread has one part of them.
[[maybe_unused]] constexpr int32_t kStaticSchedule = 34;

static GNURuntime gnu;
static bool isForked = false;
static thread_local unsigned numRequested = 0;

template <typename Function>
static bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// Finds the runtime in this process, which keeps it.
static bool findRuntime() {
  void *library = dlopen("libgomp.so.1", RTLD_NOLOAD | RTLD_NOW);
  return library && find(library, "GOMP_parallel", gnu.parallel) &&
         find(library, "GOMP_barrier", gnu.barrier) &&
         find(library, "omp_get_thread_num", gnu.getThread) &&
         find(library, "omp_get_num_threads", gnu.getNumThreads);
}

static void runTask(void *data) {
  Task *task = static_cast<Task *>(data);
  int32_t thread = gnu.getThread(), bound = 0;
  task->run(&thread, &bound, task->argument);
}

//===----------------------------------------------------------------------===//
// LLVM's interface
//===----------------------------------------------------------------------===//

static int32_t getThread(void *) { return gnu.getThread(); }

static void requestThreads(void *, int32_t, int32_t threads) {
  numRequested = threads;
}

/// Upstream passes what the task reads as one structure, if it reads anything.
static void fork(void *, int32_t count, decltype(Task::run) run, ...) {
  assert(count <= 1 && "expects one structure");
  va_list arguments;
  va_start(arguments, run);
  Task task = {run, count == 1 ? va_arg(arguments, void *) : nullptr};
  va_end(arguments);
  unsigned threads = std::exchange(numRequested, 0);
  if (isForked)
    runTask(&task);
  else
    gnu.parallel(runTask, &task, threads, /*flags=*/0);
}

/// Gives each thread as many iterations, or one more, as LLVM's runtime does.
/// Bounds are included, and a loop without iterations has an upper one of -1.
static void divideLoop(void *, int32_t, int32_t schedule, int32_t *isLast,
                       uint64_t *lower, uint64_t *upper, uint64_t *stride,
                       int64_t step, int64_t) {
  assert(schedule == kStaticSchedule && step == 1 && "expects whole parts");
  uint64_t thread = gnu.getThread(), threads = gnu.getNumThreads(),
           count = *upper - *lower + 1, each = count / threads,
           more = count % threads;
  *stride = count;
  *isLast = thread == (count < threads ? count : threads) - 1;
  *lower += thread * each + std::min(thread, more);
  *upper = *lower + each + (thread < more) - 1;
}

static void endLoop(void *, int32_t) {}

static void waitForTeam(void *, int32_t) { gnu.barrier(); }

llvm::ArrayRef<mlir::norm::HostRuntime::Symbol>
norm_python::getSharedThreads() {
  using mlir::norm::HostRuntime;
  static const HostRuntime::Symbol symbols[] = {
      {"__kmpc_global_thread_num", reinterpret_cast<void *>(getThread)},
      {"__kmpc_push_num_threads", reinterpret_cast<void *>(requestThreads)},
      {"__kmpc_fork_call", reinterpret_cast<void *>(fork)},
      {"__kmpc_for_static_init_8u", reinterpret_cast<void *>(divideLoop)},
      {"__kmpc_for_static_fini", reinterpret_cast<void *>(endLoop)},
      {"__kmpc_barrier", reinterpret_cast<void *>(waitForTeam)}};
  // A module that is imported between two programs may bring the runtime.
  static bool isFound = false;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isFound && findRuntime()) {
    isFound = true;
    pthread_atfork(nullptr, nullptr, [] { isForked = true; });
  }
  return isFound ? symbols : llvm::ArrayRef<HostRuntime::Symbol>();
}

//===- GPU.h - device memory, kernels and times -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_GPU_H
#define NORM_BENCH_DEVICE_GPU_H

#include "../../runtime/cuda/Driver.h"
#include "llvm/ADT/Twine.h"
#include <functional>

namespace norm::bench {

/// Stops the artifact or the program with std::runtime_error.
[[noreturn]] void fail(const llvm::Twine &message);

/// The first GPU, its primary context and a stream. Errors call `fail`.
class GPU {
public:
  GPU();

  /// Calls an entry point of the driver; arguments have the types of its
  /// parameters.
  template <typename... Args> void call(const char *symbol, Args... arguments) {
    check(reinterpret_cast<int (*)(Args...)>(find(symbol))(arguments...),
          symbol);
  }
  /// Returns the only memory: what was allocated before is freed.
  char *allocate(size_t bytes);
  void upload(void *to, const void *from, size_t bytes);
  /// Waits for the stream and copies to the host.
  void download(void *to, void *from, size_t bytes) {
    synchronize();
    call("cuMemcpyDtoH_v2", to, from, bytes);
  }
  void copy(void *to, void *from, size_t bytes) {
    call("cuMemcpyDtoDAsync_v2", to, from, bytes, stream);
  }
  /// Copies by a kernel of 16-byte accesses; bytes are rounded down to 16.
  void copyByKernel(void *to, void *from, size_t bytes);
  void synchronize() { call("cuStreamSynchronize", stream); }

  /// Records calls of `work`, so that they can be timed repeatedly: what is
  /// returned makes them and returns seconds per call. A graph keeps the host
  /// out of the time.
  std::function<double()> record(const std::function<void(int64_t)> &work,
                                 int64_t calls, bool useGraph);

  std::string name; ///< for example, "NVIDIA H200, sm_90, driver 12.4"
  size_t l2Bytes = 0;
  void *stream = nullptr;

private:
  void *find(const char *symbol);
  void check(int result, const char *symbol);
  void loadCopyKernel();

  void *library, *start, *stop, *copyKernel;
  char *memory = nullptr;
};

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_GPU_H

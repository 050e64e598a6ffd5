//===- GPU.h - device memory, kernels and times -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_GPU_H
#define NORM_BENCH_DEVICE_GPU_H

#include "../../runtime/cuda/Driver.h"
#include <functional>
#include <string>
#include <vector>

namespace norm::bench {
using namespace norm::cuda;

/// X(member, symbol, parameters) lists entry points that artifacts do not need.
#define NORM_BENCH_ENTRY_POINTS(X)                                             \
  X(deviceGet, cuDeviceGet, (Device *, int))                                   \
  X(deviceGetName, cuDeviceGetName, (char *, int, Device))                     \
  X(driverGetVersion, cuDriverGetVersion, (int *))                             \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, Device))           \
  X(ctxSetCurrent, cuCtxSetCurrent, (Context))                                 \
  X(memAlloc, cuMemAlloc_v2, (DevicePtr *, size_t))                            \
  X(memFree, cuMemFree_v2, (DevicePtr))                                        \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (DevicePtr, const void *, size_t))            \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *, DevicePtr, size_t))                  \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (DevicePtr, DevicePtr, size_t, Stream))                                    \
  X(streamCreate, cuStreamCreate, (Stream *, unsigned))                        \
  X(eventCreate, cuEventCreate, (Event *, unsigned))                           \
  X(eventRecord, cuEventRecord, (Event, Stream))                               \
  X(eventSynchronize, cuEventSynchronize, (Event))                             \
  X(eventElapsedTime, cuEventElapsedTime, (float *, Event, Event))             \
  X(beginCapture, cuStreamBeginCapture_v2, (Stream, int))                      \
  X(endCapture, cuStreamEndCapture, (Stream, Graph *))                         \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec *, Graph, unsigned long long))                                  \
  X(graphLaunch, cuGraphLaunch, (GraphExec, Stream))                           \
  X(graphDestroy, cuGraphDestroy, (Graph))                                     \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec))

/// The calls of one measurement, one after the other.
using Work = std::function<void(int64_t call)>;

/// The first GPU, its primary context and a stream. Errors call `fail`.
class GPU {
public:
  GPU();

  DevicePtr allocate(size_t bytes);
  void freeAll();
  void upload(DevicePtr to, const void *from, size_t bytes);
  void download(void *to, DevicePtr from, size_t bytes);
  void copy(DevicePtr to, DevicePtr from, size_t bytes);
  /// Copies by a kernel of 16-byte accesses; bytes are rounded down to 16.
  void copyByKernel(DevicePtr to, DevicePtr from, size_t bytes);
  void synchronize();

  /// `calls` of `work`, recorded so that they can be timed repeatedly. A graph
  /// keeps the host out of the time.
  class Recording {
  public:
    Recording(GPU &gpu, Work work, int64_t calls, bool useGraph);
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;
    ~Recording();
    /// Returns seconds per call.
    double measure();
    bool isGraph() const { return graph != nullptr; }

  private:
    void run();
    GPU &gpu;
    Work work;
    int64_t calls;
    GraphExec graph = nullptr;
  };

  Stream getStream() const { return stream; }
  size_t getL2Bytes() const { return l2Bytes; }
  /// Returns, for example, "NVIDIA H200, sm_90, driver 12.4".
  const std::string &getName() const { return name; }

private:
  void check(Result result, const char *what);
  void loadCopyKernel();

  Driver driver;
  NORM_BENCH_ENTRY_POINTS(NORM_CUDA_MEMBER)
  Stream stream = nullptr;
  Event start = nullptr, stop = nullptr;
  Function copyKernel = nullptr;
  size_t l2Bytes = 0;
  std::string name;
  std::vector<DevicePtr> allocated;
};

/// Stops the artifact or the program with std::runtime_error.
[[noreturn]] void fail(const std::string &message);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_GPU_H

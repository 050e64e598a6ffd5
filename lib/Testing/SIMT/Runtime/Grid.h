//===- Grid.h - one launch of a kernel --------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TESTING_SIMT_RUNTIME_GRID_H
#define NORM_LIB_TESTING_SIMT_RUNTIME_GRID_H

#include "Fiber.h"
#include "norm/Testing/SIMT/Runtime.h"
#include <string>
#include <vector>

namespace mlir::norm::simt {

struct Dim3 {
  int64_t x, y, z;
  int64_t count() const { return x * y * z; }
  /// Of `number` in a space of this size, x fastest.
  Dim3 at(int64_t number) const {
    return {number % x, number / x % y, number / (x * y)};
  }
  bool isPositive() const { return x > 0 && y > 0 && z > 0; }
  Dim3 operator*(Dim3 by) const { return {x * by.x, y * by.y, z * by.z}; }
  Dim3 operator/(Dim3 by) const { return {x / by.x, y / by.y, z / by.z}; }
  Dim3 operator+(Dim3 by) const { return {x + by.x, y + by.y, z + by.z}; }
};

enum class State : uint8_t { Ready, Barrier, Shuffle, ClusterWait, Exited };

struct Shuffle {
  uint64_t bits; ///< what the lane gives, then what it gets
  int32_t offset, width, mode;
};

class Grid;

struct Thread {
  int64_t words[kNumWords]; ///< first: kernels load them
  Grid *grid;
  int64_t block; ///< rank in the cluster
  State state;
  const char *site; ///< where it waits
  Shuffle shuffle;
  int64_t clusterArrivals, clusterWaits;
  Context context;
};

/// Runs the blocks of a grid cluster by cluster, and the threads of a cluster
/// alternately: each until it waits or exits, warp by warp. Which thread runs
/// first is fixed, so a wrong program fails the same way each time.
class Grid {
public:
  Grid(const char *name, Kernel kernel, void *arguments, const int64_t *sizes,
       int64_t workgroupBytes);

  /// Runs everything, or up to the first error.
  void run();

  // For the running thread.
  /// Lets others run until what `state` waits for has happened.
  void wait(Thread &self, State state, const char *site);
  /// False: not allowed here, and reported.
  bool arriveAtCluster(Thread &self, const char *site);
  bool waitForCluster(Thread &self, const char *site);
  /// Null where `pointer` is not in the block's workgroup memory or there is no
  /// such block; `fail` then.
  void *mapToBlock(const Thread &self, void *pointer, int64_t rank) const;
  bool isInWorkgroup(int64_t block, const void *pointer, int64_t bytes) const;
  bool isInCluster(const void *pointer, int64_t bytes) const;
  int64_t getWorkgroupBytes() const { return workgroupBytes; }
  /// Records an error of `self` at `site`; no thread runs after that. Returns
  /// false.
  bool fail(Thread &self, const char *site, const char *format, ...)
      __attribute__((format(printf, 4, 5)));

private:
  bool checkSizes();
  void startCluster(int64_t number);
  void startThread(Thread &thread, int64_t number, Dim3 cluster);
  static void enterThread();
  void resume(Thread &thread);

  bool runCluster();
  bool runWarp(int64_t first, int64_t end);
  bool exchange(int64_t first, int64_t end);
  bool exchangeLane(Thread &thread, int64_t first, int64_t end);
  bool releaseBarrier(int64_t block);
  bool releaseClusterWait();

  void reportDeadlock();
  bool reportMissing(Thread &waiting, int64_t first, int64_t end);
  std::string describe(const Thread &thread) const;

  const char *name;
  Kernel kernel;
  void *arguments;
  Dim3 gridDim, blockDim, clusterDim;
  int64_t workgroupBytes;

  int64_t threadsPerBlock, workgroupStride;
  std::vector<Thread> threads; // of the running cluster, block after block
  std::vector<char> workgroup; // of its blocks
  std::vector<int64_t> atBarrier, running; // threads of each block
  std::vector<uint64_t> exchanged;
  int64_t clusterArrivals = 0, clusterPhase = 0;
  Context scheduler;
};

/// The first error is kept.
void setError(std::string message);
bool hasError();

} // namespace mlir::norm::simt

#endif // NORM_LIB_TESTING_SIMT_RUNTIME_GRID_H

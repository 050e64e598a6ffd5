//===- Runtime.h - what emulated kernels call -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between norm-emulate-gpu and its runtime, a library that needs
// neither MLIR nor LLVM. A thread of a kernel is a fiber: it runs until it
// waits in one of the functions below. After an error no thread runs on, and
// further launches do nothing until the error is taken.
//
// A `site` is a string that says which op calls; its address is the op's
// identity, so that threads that wait at different barriers are told apart.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TESTING_SIMT_RUNTIME_H
#define NORM_TESTING_SIMT_RUNTIME_H

#include <cstdint>

namespace mlir::norm::simt {

/// 64-bit words at the start of a thread, which kernels load. Groups of three
/// are x, y and z.
enum Word : unsigned {
  kThreadId = 0,
  kBlockId = 3,
  kBlockDim = 6,
  kGridDim = 9,
  kClusterId = 12,        ///< of the cluster in the grid
  kClusterDim = 15,       ///< clusters in the grid
  kClusterBlockId = 18,   ///< of the block in its cluster
  kClusterDimBlocks = 21, ///< blocks in a cluster
  kLane = 24,
  kWarp = 25,
  kNumWarps = 26,
  kClusterRank = 27, ///< of the block in its cluster, x fastest
  kClusterSize = 28,
  kWorkgroup = 29,    ///< address of the block's workgroup memory
  kShuffleValid = 30, ///< of the last shuffle: 0 or 1
  kNumWords = 31
};

constexpr int64_t kWarpSize = 32;
constexpr int64_t kMaxThreads = 1024; ///< a block
constexpr int64_t kMaxClusterSize = 16;

/// Alignment of each buffer in workgroup memory.
constexpr int64_t kWorkgroupAlignment = 16;

/// gpu.shuffle's modes, numbered as there.
enum ShuffleMode : int32_t { kXor, kDown, kUp, kIdx };

struct Thread;
using Kernel = void (*)(Thread *self, void *arguments);

/// Names and addresses of the functions below, for a JIT that has to define
/// them; the last name is null.
struct Symbol {
  const char *name;
  void *address;
};
const Symbol *getSymbols();

/// Moves the message of this host thread's first error to `message`, which is
/// valid until the next error; null when there was none.
const char *takeError();

} // namespace mlir::norm::simt

extern "C" {
/// Runs all threads of a grid; `sizes`: blocks, threads per block and blocks
/// per cluster, each x, y, z.
void norm_simt_launch(const char *name, mlir::norm::simt::Kernel kernel,
                      void *arguments, const int64_t *sizes,
                      int64_t workgroupBytes);

void norm_simt_barrier(mlir::norm::simt::Thread *self, const char *site);
/// `bits`: the value, which has at most 64.
uint64_t norm_simt_shuffle(mlir::norm::simt::Thread *self, const char *site,
                           uint64_t bits, int32_t offset, int32_t width,
                           int32_t mode);
void norm_simt_cluster_arrive(mlir::norm::simt::Thread *self, const char *site);
void norm_simt_cluster_wait(mlir::norm::simt::Thread *self, const char *site);
/// The same place in the workgroup memory of block `rank` of the cluster.
void *norm_simt_map_to_block(mlir::norm::simt::Thread *self, const char *site,
                             void *pointer, int32_t rank);

/// An error unless index to index + count is inside extent elements.
void norm_simt_check_index(mlir::norm::simt::Thread *self, const char *site,
                           int64_t index, int64_t count, int64_t extent);
/// An error unless the bytes are in workgroup memory: of the block, or, when
/// `cluster`, of a block of the cluster that still runs.
void norm_simt_check_pointer(mlir::norm::simt::Thread *self, const char *site,
                             void *pointer, int64_t bytes, int32_t cluster);
}

#endif // NORM_TESTING_SIMT_RUNTIME_H

//===- Grid.cpp - one launch of a kernel ----------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace mlir::norm::simt;

static thread_local StackPool stacks;
static thread_local Thread *current;

static std::string print(const char *format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof(text), format, arguments);
  return text;
}

static std::string print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = print(format, arguments);
  va_end(arguments);
  return text;
}

/// Blocks of a launch in each dimension, as CUDA has it.
static constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};

Grid::Grid(const char *name, Kernel kernel, void *arguments,
           const int64_t *sizes, int64_t workgroupBytes)
    : name(name), kernel(kernel), arguments(arguments),
      gridDim{sizes[0], sizes[1], sizes[2]},
      blockDim{sizes[3], sizes[4], sizes[5]},
      clusterDim{sizes[6], sizes[7], sizes[8]}, workgroupBytes(workgroupBytes) {
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

bool Grid::checkSizes() {
  std::string text;
  if (!gridDim.isPositive() || !blockDim.isPositive() ||
      !clusterDim.isPositive())
    text = "a size of the launch is not positive";
  else if (gridDim.x > kMaxGrid.x || gridDim.y > kMaxGrid.y ||
           gridDim.z > kMaxGrid.z)
    text = print("a grid of %ld x %ld x %ld blocks, more than %ld x %ld x %ld",
                 long(gridDim.x), long(gridDim.y), long(gridDim.z),
                 long(kMaxGrid.x), long(kMaxGrid.y), long(kMaxGrid.z));
  else if (blockDim.count() > kMaxThreads)
    text = print("a block of %ld threads, more than %ld",
                 long(blockDim.count()), long(kMaxThreads));
  else if (clusterDim.count() > kMaxClusterSize)
    text = print("a cluster of %ld blocks, more than %ld",
                 long(clusterDim.count()), long(kMaxClusterSize));
  else if (gridDim.x % clusterDim.x != 0 || gridDim.y % clusterDim.y != 0 ||
           gridDim.z % clusterDim.z != 0)
    text = "the grid is no multiple of the cluster";
  else if (!stacks.reserve(clusterDim.count() * blockDim.count()))
    text = "no memory for the stacks of its threads";
  if (text.empty())
    return true;
  setError(print("kernel '%s': %s", name, text.c_str()));
  return false;
}

void Grid::run() {
  if (hasError() || !checkSizes())
    return;
  threadsPerBlock = blockDim.count();
  workgroupStride = (workgroupBytes + kWorkgroupAlignment - 1) /
                    kWorkgroupAlignment * kWorkgroupAlignment;
  int64_t blocks = clusterDim.count();
  threads.resize(blocks * threadsPerBlock);
  // Some buffers of 16-byte elements, and room to align the first.
  workgroup.resize(blocks * workgroupStride + kWorkgroupAlignment);
  exchanged.resize(kWarpSize);
  int64_t clusters = gridDim.count() / blocks;
  for (int64_t i = 0; i < clusters; ++i) {
    startCluster(i);
    if (!runCluster())
      return;
  }
}

void Grid::startCluster(int64_t number) {
  // Reading what nobody wrote gives NaN.
  memset(workgroup.data(), 0xff, workgroup.size());
  atBarrier.assign(clusterDim.count(), 0);
  running.assign(clusterDim.count(), threadsPerBlock);
  clusterArrivals = clusterPhase = 0;
  Dim3 cluster = (gridDim / clusterDim).at(number);
  for (size_t i = 0; i < threads.size(); ++i)
    startThread(threads[i], i, cluster);
}

static void setWords(Thread &thread, Word first, Dim3 value) {
  thread.words[first] = value.x;
  thread.words[first + 1] = value.y;
  thread.words[first + 2] = value.z;
}

void Grid::startThread(Thread &thread, int64_t number, Dim3 cluster) {
  int64_t rank = number / threadsPerBlock, position = number % threadsPerBlock;
  Dim3 inCluster = clusterDim.at(rank);
  setWords(thread, kThreadId, blockDim.at(position));
  setWords(thread, kBlockId, cluster * clusterDim + inCluster);
  setWords(thread, kBlockDim, blockDim);
  setWords(thread, kGridDim, gridDim);
  setWords(thread, kClusterId, cluster);
  setWords(thread, kClusterDim, gridDim / clusterDim);
  setWords(thread, kClusterBlockId, inCluster);
  setWords(thread, kClusterDimBlocks, clusterDim);
  thread.words[kLane] = position % kWarpSize;
  thread.words[kWarp] = position / kWarpSize;
  thread.words[kNumWarps] = (threadsPerBlock + kWarpSize - 1) / kWarpSize;
  thread.words[kClusterRank] = rank;
  thread.words[kClusterSize] = clusterDim.count();
  auto base = reinterpret_cast<intptr_t>(workgroup.data());
  base += -base & (kWorkgroupAlignment - 1);
  thread.words[kWorkgroup] = base + rank * workgroupStride;
  thread.words[kShuffleValid] = 0;
  thread.grid = this;
  thread.block = rank;
  thread.state = State::Ready;
  thread.clusterArrivals = thread.clusterWaits = 0;
  stacks.start(number, enterThread, thread.context);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void Grid::enterThread() {
  Thread &self = *current;
  Grid &grid = *self.grid;
  grid.kernel(&self, grid.arguments);
  --grid.running[self.block];
  grid.wait(self, State::Exited, "");
}

void Grid::resume(Thread &thread) {
  current = &thread;
  switchContext(scheduler, thread.context);
}

void Grid::wait(Thread &self, State state, const char *site) {
  self.state = state;
  self.site = site;
  if (state == State::Barrier)
    ++atBarrier[self.block];
  switchContext(self.context, scheduler);
}

/// False after an error.
bool Grid::runCluster() {
  int64_t blocks = clusterDim.count();
  while (true) {
    bool progress = false;
    for (int64_t first = 0; first < int64_t(threads.size());) {
      int64_t block = first / threadsPerBlock;
      int64_t end = std::min(first + kWarpSize, (block + 1) * threadsPerBlock);
      progress |= runWarp(first, end);
      if (hasError())
        return false;
      first = end;
    }
    int64_t left = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      progress |= releaseBarrier(block);
      left += running[block];
    }
    progress |= releaseClusterWait();
    if (left == 0)
      return true;
    if (!progress)
      return reportDeadlock(), false;
  }
}

bool Grid::runWarp(int64_t first, int64_t end) {
  bool progress = false;
  do {
    for (int64_t i = first; i < end; ++i) {
      if (threads[i].state != State::Ready)
        continue;
      progress = true;
      resume(threads[i]);
      if (hasError())
        return false;
    }
  } while (exchange(first, end));
  return progress;
}

bool Grid::releaseBarrier(int64_t block) {
  if (atBarrier[block] != threadsPerBlock)
    return false;
  Thread *begin = &threads[block * threadsPerBlock];
  Thread *end = begin + threadsPerBlock;
  for (Thread *thread = begin; thread != end; ++thread)
    if (thread->site != begin->site)
      return false;
  for (Thread *thread = begin; thread != end; ++thread)
    thread->state = State::Ready;
  atBarrier[block] = 0;
  return true;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

static int64_t getSource(int64_t lane, const Shuffle &shuffle) {
  switch (shuffle.mode) {
  case kXor:
    return lane ^ shuffle.offset;
  case kUp:
    return lane - shuffle.offset;
  case kDown:
    return lane + shuffle.offset;
  default:
    return shuffle.offset;
  }
}

/// Gives a lane the value of its source. What is not valid has all bits set.
bool Grid::exchangeLane(Thread &thread, int64_t first, int64_t end) {
  int64_t lane = thread.words[kLane];
  int64_t source = getSource(lane, thread.shuffle);
  bool isValid = source >= 0 && source < thread.shuffle.width;
  thread.words[kShuffleValid] = isValid;
  if (isValid && source >= end - first)
    return fail(thread, thread.site,
                "reads lane %ld, which is not active: the warp has %ld threads",
                long(source), long(end - first));
  thread.shuffle.bits = isValid ? exchanged[source] : ~uint64_t(0);
  return true;
}

/// True when the lanes that wait at a shuffle have all come and may go on.
bool Grid::exchange(int64_t first, int64_t end) {
  int64_t i = first;
  while (i < end && threads[i].state != State::Shuffle)
    ++i;
  if (i == end)
    return false;
  const char *site = threads[i].site;
  int64_t width = threads[i].shuffle.width;
  for (int64_t j = first; j < end; ++j) {
    bool waits = threads[j].state == State::Shuffle && threads[j].site == site;
    if (waits && j - first >= width)
      return fail(threads[j], site, "lane %ld is not active: the width is %ld",
                  long(j - first), long(width));
    if (!waits && j - first < width)
      return false;
    if (waits && threads[j].shuffle.width != width)
      return fail(threads[j], site, "lanes disagree about the width: %ld, %ld",
                  long(threads[j].shuffle.width), long(width));
  }
  end = std::min(end, first + width);
  for (int64_t j = first; j < end; ++j)
    exchanged[j - first] = threads[j].shuffle.bits;
  for (int64_t j = first; j < end; ++j) {
    if (!exchangeLane(threads[j], first, end))
      return false;
    threads[j].state = State::Ready;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

bool Grid::arriveAtCluster(Thread &self, const char *site) {
  if (self.clusterArrivals > self.clusterWaits)
    return fail(self, site, "the thread has arrived before, and not waited");
  ++self.clusterArrivals;
  if (++clusterArrivals == int64_t(threads.size())) {
    clusterArrivals = 0;
    ++clusterPhase;
  }
  return true;
}

bool Grid::waitForCluster(Thread &self, const char *site) {
  if (self.clusterArrivals == self.clusterWaits)
    return fail(self, site, "the thread has not arrived");
  ++self.clusterWaits;
  wait(self, State::ClusterWait, site);
  return true;
}

bool Grid::releaseClusterWait() {
  bool any = false;
  for (Thread &thread : threads) {
    if (thread.state != State::ClusterWait ||
        thread.clusterArrivals > clusterPhase)
      continue;
    thread.state = State::Ready;
    any = true;
  }
  return any;
}

bool Grid::isInWorkgroup(int64_t block, const void *pointer,
                         int64_t bytes) const {
  auto base = threads[block * threadsPerBlock].words[kWorkgroup];
  auto begin = reinterpret_cast<intptr_t>(pointer) - base;
  return begin >= 0 && bytes >= 0 && begin <= workgroupBytes - bytes;
}

bool Grid::isInCluster(const void *pointer, int64_t bytes) const {
  for (int64_t block = 0; block < clusterDim.count(); ++block)
    if (running[block] > 0 && isInWorkgroup(block, pointer, bytes))
      return true;
  return false;
}

void *Grid::mapToBlock(const Thread &self, void *pointer, int64_t rank) const {
  if (rank < 0 || rank >= clusterDim.count() ||
      !isInWorkgroup(self.block, pointer, 0))
    return nullptr;
  return static_cast<char *>(pointer) + (rank - self.block) * workgroupStride;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string Grid::describe(const Thread &thread) const {
  const int64_t *t = thread.words + kThreadId, *b = thread.words + kBlockId;
  return print("block (%ld, %ld, %ld) thread (%ld, %ld, %ld)", long(b[0]),
               long(b[1]), long(b[2]), long(t[0]), long(t[1]), long(t[2]));
}

bool Grid::fail(Thread &self, const char *site, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  setError(print("kernel '%s': %s: %s: ", name, describe(self).c_str(), site) +
           print(format, arguments));
  va_end(arguments);
  return false;
}

/// Says which of some threads does not come to where `waiting` is.
bool Grid::reportMissing(Thread &waiting, int64_t first, int64_t end) {
  for (int64_t i = first; i < end; ++i) {
    const Thread &other = threads[i];
    bool comes =
        waiting.state == State::ClusterWait
            ? other.clusterArrivals >= waiting.clusterArrivals
            : other.state == waiting.state && other.site == waiting.site;
    if (comes)
      continue;
    std::string what = other.state == State::Exited
                           ? "has exited"
                           : print("waits at %s", other.site);
    fail(waiting, waiting.site, "not reached by %s, which %s",
         describe(other).c_str(), what.c_str());
    return true;
  }
  return false;
}

/// Names a thread that waits and one that it waits for in vain. Shuffles come
/// first: who waits at a barrier may do so for a warp that hangs in one.
void Grid::reportDeadlock() {
  for (State state : {State::Shuffle, State::Barrier, State::ClusterWait})
    for (int64_t i = 0; i < int64_t(threads.size()); ++i) {
      Thread &thread = threads[i];
      if (thread.state != state)
        continue;
      int64_t first = 0, end = threads.size();
      if (state != State::ClusterWait) {
        first = thread.block * threadsPerBlock;
        end = first + threadsPerBlock;
      }
      if (state == State::Shuffle) {
        first = i - thread.words[kLane];
        end = std::min(end, first + thread.shuffle.width);
      }
      if (reportMissing(thread, first, end))
        return;
    }
  setError(print("kernel '%s': no thread can go on", name));
}

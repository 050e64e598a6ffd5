//===- Runtime.cpp - what emulated kernels call ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Testing/SIMT/Runtime.h"
#include "Grid.h"

using namespace mlir::norm::simt;

static thread_local std::string pendingError, takenError;

void mlir::norm::simt::setError(std::string message) {
  if (pendingError.empty())
    pendingError = std::move(message);
}

bool mlir::norm::simt::hasError() { return !pendingError.empty(); }

const char *mlir::norm::simt::takeError() {
  if (pendingError.empty())
    return nullptr;
  takenError = std::move(pendingError);
  pendingError.clear();
  return takenError.c_str();
}

/// After an error the scheduler does not come back: the thread ends here. No
/// frame of it may own memory.
static void stop(Thread &self) { self.grid->wait(self, State::Exited, ""); }

void norm_simt_launch(const char *name, Kernel kernel, void *arguments,
                      const int64_t *sizes, int64_t workgroupBytes) {
  Grid(name, kernel, arguments, sizes, workgroupBytes).run();
}

void norm_simt_barrier(Thread *self, const char *site) {
  self->grid->wait(*self, State::Barrier, site);
}

uint64_t norm_simt_shuffle(Thread *self, const char *site, uint64_t bits,
                           int32_t offset, int32_t width, int32_t mode) {
  if (width < 1 || width > kWarpSize) {
    self->grid->fail(*self, site, "width %d is not in [1, 32]", int(width));
    stop(*self);
  }
  self->shuffle = {bits, offset, width, mode};
  self->grid->wait(*self, State::Shuffle, site);
  return self->shuffle.bits;
}

void norm_simt_cluster_arrive(Thread *self, const char *site) {
  if (!self->grid->arriveAtCluster(*self, site))
    stop(*self);
}

void norm_simt_cluster_wait(Thread *self, const char *site) {
  if (!self->grid->waitForCluster(*self, site))
    stop(*self);
}

void *norm_simt_map_to_block(Thread *self, const char *site, void *pointer,
                             int32_t rank) {
  void *mapped = self->grid->mapToBlock(*self, pointer, rank);
  if (!mapped) {
    self->grid->fail(*self, site,
                     "no place in the workgroup memory of block %d of the "
                     "cluster",
                     int(rank));
    stop(*self);
  }
  return mapped;
}

void norm_simt_check_index(Thread *self, const char *site, int64_t index,
                           int64_t count, int64_t extent) {
  if (index >= 0 && index <= extent - count)
    return;
  self->grid->fail(*self, site,
                   "index %ld of %ld elements is out of range of workgroup "
                   "memory of extent %ld",
                   long(index), long(count), long(extent));
  stop(*self);
}

void norm_simt_check_pointer(Thread *self, const char *site, void *pointer,
                             int64_t bytes, int32_t cluster) {
  Grid &grid = *self->grid;
  bool isInside = cluster ? grid.isInCluster(pointer, bytes)
                          : grid.isInWorkgroup(self->block, pointer, bytes);
  if (isInside)
    return;
  self->grid->fail(
      *self, site, "%ld bytes that are not in the workgroup memory of %s",
      long(bytes), cluster ? "a running block of the cluster" : "the block");
  stop(*self);
}

const Symbol *mlir::norm::simt::getSymbols() {
#define SYMBOL(name)                                                           \
  {                                                                            \
    #name, reinterpret_cast<void *>(name)                                      \
  }
  static const Symbol symbols[] = {SYMBOL(norm_simt_launch),
                                   SYMBOL(norm_simt_barrier),
                                   SYMBOL(norm_simt_shuffle),
                                   SYMBOL(norm_simt_cluster_arrive),
                                   SYMBOL(norm_simt_cluster_wait),
                                   SYMBOL(norm_simt_map_to_block),
                                   SYMBOL(norm_simt_check_index),
                                   SYMBOL(norm_simt_check_pointer),
                                   {nullptr, nullptr}};
#undef SYMBOL
  return symbols;
}

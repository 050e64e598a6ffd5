//===- Buffers.h - tensors and bytes to run on ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_BUFFERS_H
#define NORM_TOOLS_NORM_BENCH_BUFFERS_H

#include "mlir/IR/BuiltinOps.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/ExecutionEngine/HostTensor.h"

namespace mlir::norm {

/// The arguments and results of a function.
struct BufferSet {
  BufferSet() = default;
  BufferSet(BufferSet &&) = default; // not copyable
  BufferSet &operator=(BufferSet &&) = default;

  SmallVector<HostTensor> inputs, outputs;

  size_t getNumBytes() const;
  BufferSet copy() const;
};

SmallVector<HostTensor *> getAddresses(MutableArrayRef<HostTensor> all);

/// Creates sets, 1 to kMaxSets, of `wantedBytes` in all, with the same random
/// inputs. Types that cannot be filled are diagnosed.
FailureOr<std::vector<BufferSet>> createBufferSets(ModuleOp module,
                                                   CompiledModule &compiled,
                                                   StringRef function,
                                                   size_t wantedBytes);
constexpr size_t kMaxSets = 8192;

/// The buffers of copies of `usefulBytes`, half of which are read, one per set.
class CopyBuffers {
public:
  CopyBuffers(MLIRContext *context, size_t usefulBytes, size_t count);
  size_t getBytesCopied() const { return bytes; }
  char *getSource(size_t i) { return storage.getData() + 2 * i * bytes; }
  char *getTarget(size_t i) { return getSource(i) + bytes; }

private:
  size_t bytes; // a multiple of 64
  HostTensor storage;
};

/// Returns the size of buffers whose data comes from memory when rotated: four
/// times the largest reported cache, between 64 and 512 MiB.
size_t getColdBytes();

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_BUFFERS_H

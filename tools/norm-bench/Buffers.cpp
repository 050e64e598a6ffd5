//===- Buffers.cpp - tensors and bytes to run on --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include <cstring>
#include <random>
#include <unistd.h>

using namespace mlir;
using namespace mlir::norm;

SmallVector<HostTensor *> norm::getAddresses(MutableArrayRef<HostTensor> all) {
  return llvm::map_to_vector(all, [](HostTensor &tensor) { return &tensor; });
}

size_t BufferSet::getNumBytes() const {
  size_t bytes = 0;
  for (const HostTensor &tensor :
       llvm::concat<const HostTensor>(inputs, outputs))
    bytes += tensor.getNumBytes();
  return bytes;
}

static void fillRandom(HostTensor &tensor, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> values(-2, 2);
  // With a prime period, large tensors fill quickly and rows differ.
  int64_t period = std::min<int64_t>(65537, tensor.getNumElements());
  for (int64_t i = 0; i < period; ++i)
    tensor.setElement(i, values(random));
  size_t filled = period * HostTensor::getElementBytes(tensor.getElementType());
  for (size_t total = tensor.getNumBytes(), at = filled; at < total;
       at += filled)
    std::memcpy(tensor.getData() + at, tensor.getData(),
                std::min(filled, total - at));
}

static FailureOr<SmallVector<HostTensor>> createInputs(ModuleOp module,
                                                       FunctionType type) {
  SmallVector<HostTensor> inputs;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    auto tensor = dyn_cast<RankedTensorType>(input);
    if (!tensor || !tensor.hasStaticShape() ||
        !HostTensor::isSupported(tensor.getElementType()))
      return module.emitError("norm-bench needs static tensors of numbers, "
                              "argument ")
             << i << " is " << input;
    inputs.emplace_back(tensor.getElementType(), tensor.getShape());
    fillRandom(inputs.back(), i);
  }
  return inputs;
}

BufferSet BufferSet::copy() const {
  auto copyOne = [](const HostTensor &tensor) {
    HostTensor copy(tensor.getElementType(), tensor.getShape());
    std::memcpy(copy.getData(), tensor.getData(), tensor.getNumBytes());
    return copy;
  };
  BufferSet result;
  result.inputs = llvm::map_to_vector(inputs, copyOne);
  result.outputs = llvm::map_to_vector(outputs, copyOne);
  return result;
}

FailureOr<std::vector<BufferSet>>
norm::createBufferSets(ModuleOp module, CompiledModule &compiled,
                       StringRef function, size_t wantedBytes) {
  FunctionType type = compiled.getFunctionType(function);
  if (!type)
    return module.emitError("no public function '") << function << "'";
  std::vector<BufferSet> sets(1);
  auto inputs = createInputs(module, type);
  if (failed(inputs))
    return failure();
  sets.front().inputs = std::move(*inputs);
  auto outputs =
      compiled.createOutputs(function, getAddresses(sets.front().inputs));
  if (!outputs)
    return module.emitError(llvm::toString(outputs.takeError()));
  sets.front().outputs = std::move(*outputs);
  size_t bytes = std::max<size_t>(1, sets.front().getNumBytes());
  size_t count = std::min(kMaxSets, (wantedBytes + bytes - 1) / bytes);
  while (sets.size() < count)
    sets.push_back(sets.front().copy());
  return std::move(sets);
}

CopyBuffers::CopyBuffers(MLIRContext *context, size_t usefulBytes, size_t count)
    : bytes((usefulBytes / 2 + 63) / 64 * 64),
      storage(IntegerType::get(context, 8),
              {static_cast<int64_t>(2 * bytes * count)}) {
  std::memset(storage.getData(), 1, storage.getNumBytes());
}

size_t norm::getColdBytes() {
  size_t cache = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  for (int name : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE})
    cache = std::max<size_t>(cache, std::max(0L, sysconf(name)));
#endif
  constexpr size_t mib = 1 << 20;
  return std::clamp<size_t>(4 * cache, 64 * mib, 512 * mib);
}

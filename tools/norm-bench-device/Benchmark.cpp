//===- Benchmark.cpp - one artifact beside copies -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "Reference.h"
#include <algorithm>
#include <cmath>

using namespace norm::bench;

namespace {
class Run {
public:
  Run(GPU &gpu, Program &program, int64_t rows, const Options &options);
  Outcome get();

private:
  void allocate();
  void fill();
  void check();
  void measure();
  void launch(int64_t call) {
    program.launch(sets[call % outcome.sets], outcome.rows, gpu.getStream());
  }

  GPU &gpu;
  Program &program;
  const Options &options;
  /// The tensors of one call, and two of half its bytes for the copies.
  std::vector<std::vector<void *>> sets;
  Outcome outcome;
};
} // namespace

Run::Run(GPU &gpu, Program &program, int64_t rows, const Options &options)
    : gpu(gpu), program(program), options(options) {
  outcome.rows = rows;
  for (const TensorType &type : program.types)
    outcome.usefulBytes += type.countBytes(rows);
}

/// Allocates at least four times the L2 cache, so that no call finds data of an
/// earlier one. There is one allocation, because thousands take long.
void Run::allocate() {
  size_t wanted = options.warm ? 0 : 4 * gpu.getL2Bytes();
  size_t count = wanted / std::max<size_t>(outcome.usefulBytes, 1) + 1;
  count = std::clamp<size_t>(count, options.warm ? 1 : 2, 4096);
  outcome.sets = static_cast<int64_t>(count);
  std::vector<size_t> sizes;
  for (const TensorType &type : program.types)
    sizes.push_back(type.countBytes(outcome.rows));
  sizes.insert(sizes.end(), 2, outcome.usefulBytes / 2);
  size_t bytes = 0;
  for (size_t &size : sizes) {
    // The driver aligns separate allocations so.
    size = (size + 511) / 512 * 512;
    bytes += size;
  }
  auto *next = static_cast<char *>(gpu.allocate(count * bytes));
  sets.resize(count);
  for (std::vector<void *> &set : sets)
    for (size_t size : sizes) {
      set.push_back(next);
      next += size;
    }
}

/// Fills every set with the same values in [-2, 2). A prime number of values is
/// repeated, so that rows differ and the host is as fast as the GPU.
void Run::fill() {
  constexpr int64_t period = 1048573;
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < program.numArguments; ++i) {
    const TensorType &type = program.types[i];
    int64_t seeds = std::min(type.count(outcome.rows), period);
    Bytes host(seeds * getBytes(type.element));
    for (int64_t k = 0; k < seeds; ++k) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      store(host, k, type.element,
            static_cast<float>(static_cast<int32_t>(state >> 32)) * 0x1p-30f);
    }
    auto *first = static_cast<char *>(sets[0][i]);
    size_t bytes = type.countBytes(outcome.rows);
    gpu.upload(first, host.data(), host.size());
    for (size_t at = host.size(); at < bytes; at += host.size())
      gpu.copy(first + at, first, std::min(host.size(), bytes - at));
    for (size_t s = 1; s < sets.size(); ++s)
      gpu.copy(sets[s][i], first, bytes);
  }
  gpu.synchronize();
}

/// Compares whole tensors, because a result may depend on all rows.
void Run::check() {
  launch(0);
  gpu.synchronize();
  if (options.reference.empty())
    return;
  std::vector<Bytes> tensors;
  for (const TensorType &type : program.types) {
    Bytes bytes(type.countBytes(outcome.rows));
    gpu.download(bytes.data(), sets[0][tensors.size()], bytes.size());
    tensors.push_back(std::move(bytes));
  }
  auto first = tensors.begin() + static_cast<int64_t>(program.numArguments);
  std::vector<Bytes> arguments(tensors.begin(), first);
  std::vector<Bytes> expected = runReference(
      options.reference, options.function, program, arguments, outcome.rows);
  for (size_t i = 0; i < expected.size(); ++i) {
    Difference difference =
        compare(program, i, first[i], expected[i], options.strict);
    outcome.maxUlp = std::max(outcome.maxUlp, difference.maxUlp);
    outcome.isRight &= difference.isRight;
  }
  outcome.isChecked = true;
}

static Times getTimes(std::vector<double> &seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

/// Alternates program and copies, so that they see the same clocks.
void Run::measure() {
  auto launches = [&](int64_t call) { launch(call); };
  // Enough calls for `seconds`, as whole passes over the sets.
  GPU::Recording warmUp(gpu, launches, outcome.sets, /*useGraph=*/false);
  warmUp.measure();
  double pass = std::max(warmUp.measure(), 1e-7) * outcome.sets;
  double passes = std::max(std::ceil(options.seconds / pass), 1.0);
  int64_t calls = outcome.calls = outcome.sets * static_cast<int64_t>(passes);

  using Copy = void (GPU::*)(DevicePtr, DevicePtr, size_t);
  auto copies = [&](Copy copy) {
    return [this, copy](int64_t call) {
      const std::vector<void *> &set = sets[call % outcome.sets];
      (gpu.*copy)(set.back(), set[set.size() - 2], outcome.usefulBytes / 2);
    };
  };
  GPU::Recording program(gpu, launches, calls, options.useGraph);
  GPU::Recording copy(gpu, copies(&GPU::copy), calls, options.useGraph);
  GPU::Recording copyKernel(gpu, copies(&GPU::copyByKernel), calls,
                            options.useGraph);
  std::vector<double> times[3];
  // The first iteration warms up.
  for (int i = 0; i <= options.repetitions; ++i) {
    double seconds[] = {program.measure(), copy.measure(),
                        copyKernel.measure()};
    for (int k = 0; k < 3 && i > 0; ++k)
      times[k].push_back(seconds[k]);
  }
  outcome.program = getTimes(times[0]);
  outcome.copy = getTimes(times[1]);
  outcome.copyKernel = getTimes(times[2]);
}

Outcome Run::get() {
  allocate();
  fill();
  check();
  if (options.measures)
    measure();
  gpu.freeAll();
  return outcome;
}

int64_t norm::bench::chooseRows(const Program &program, int64_t bytes) {
  int64_t row = 0;
  for (const TensorType &type : program.types)
    if (type.extents[0] < 0)
      row += static_cast<int64_t>(type.countBytes(1));
  return std::max<int64_t>(bytes / std::max<int64_t>(row, 1), 1);
}

Outcome norm::bench::run(GPU &gpu, Program &program, int64_t rows,
                         const Options &options) {
  return Run(gpu, program, rows, options).get();
}

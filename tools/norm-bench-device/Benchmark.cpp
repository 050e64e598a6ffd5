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
/// The buffers of one call, and two of half its bytes for the copies.
struct Set {
  std::vector<void *> tensors;
  void *from = nullptr, *to = nullptr;
};

class Run {
public:
  Run(GPU &gpu, Program &program, int64_t rows, const Options &options);
  Outcome get();

private:
  void allocate();
  void fill();
  void check();
  void checkRow(int64_t row);
  void checkByReference();
  void measure();
  int64_t chooseCalls();
  const TensorType &getType(size_t tensor) const;

  GPU &gpu;
  Program &program;
  const Options &options;
  std::vector<Set> sets;
  Outcome outcome;
};
} // namespace

/// Rounds up to the alignment that the driver gives separate allocations.
static size_t roundUp(size_t bytes) { return (bytes + 511) / 512 * 512; }

const TensorType &Run::getType(size_t tensor) const {
  size_t count = program.arguments.size();
  return tensor < count ? program.arguments[tensor]
                        : program.results[tensor - count];
}

Run::Run(GPU &gpu, Program &program, int64_t rows, const Options &options)
    : gpu(gpu), program(program), options(options) {
  outcome.type = getName(program.arguments[0].element);
  outcome.rows = rows;
  outcome.cols = program.cols;
  for (const auto *types : {&program.arguments, &program.results})
    for (const TensorType &type : *types)
      outcome.usefulBytes += type.count(rows) * getBytes(type.element);
}

/// Allocates at least four times the L2 cache, so that no call finds data of an
/// earlier one. There is one allocation, because thousands take long.
void Run::allocate() {
  size_t wanted = options.warm ? 0 : 4 * gpu.getL2Bytes();
  size_t count = wanted / std::max<size_t>(outcome.usefulBytes, 1) + 1;
  count = std::clamp<size_t>(count, options.warm ? 1 : 2, 4096);
  outcome.sets = static_cast<int64_t>(count);
  std::vector<size_t> sizes;
  for (size_t i = 0; i < program.arguments.size() + program.results.size(); ++i)
    sizes.push_back(getType(i).count(outcome.rows) *
                    getBytes(getType(i).element));
  sizes.insert(sizes.end(), 2, outcome.usefulBytes / 2);
  size_t bytes = 0;
  for (size_t size : sizes)
    bytes += roundUp(size);
  auto *next = static_cast<char *>(gpu.allocate(count * bytes));
  sets.resize(count);
  for (Set &set : sets) {
    for (size_t size : sizes) {
      set.tensors.push_back(next);
      next += roundUp(size);
    }
    set.to = set.tensors.back();
    set.tensors.pop_back();
    set.from = set.tensors.back();
    set.tensors.pop_back();
  }
}

/// Fills every set with the same values in [-2, 2). A prime number of values is
/// repeated, so that rows differ and the host is as fast as the GPU.
void Run::fill() {
  constexpr int64_t period = 1048573;
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const TensorType &type = program.arguments[i];
    int64_t count = type.count(outcome.rows), seeds = std::min(count, period);
    std::vector<char> host(seeds * getBytes(type.element));
    for (int64_t k = 0; k < seeds; ++k) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      store(host.data(), k, type.element,
            static_cast<double>(state >> 32) * 0x1p-30 - 2.0);
    }
    auto *first = static_cast<char *>(sets[0].tensors[i]);
    size_t bytes = count * getBytes(type.element);
    gpu.upload(first, host.data(), host.size());
    for (size_t at = host.size(); at < bytes; at += host.size())
      gpu.copy(first + at, first, std::min(host.size(), bytes - at));
    for (size_t s = 1; s < sets.size(); ++s)
      gpu.copy(sets[s].tensors[i], first, bytes);
  }
  gpu.synchronize();
}

/// Compares one row of every tensor on the device with f64.
void Run::checkRow(int64_t row) {
  auto download = [&](size_t tensor) {
    const TensorType &type = getType(tensor);
    size_t bytes = outcome.cols * getBytes(type.element);
    std::vector<char> raw(bytes);
    auto *at = static_cast<char *>(sets[0].tensors[tensor]);
    gpu.download(raw.data(), at + (type.hasRows() ? row * bytes : 0), bytes);
    std::vector<double> values(outcome.cols);
    for (int64_t k = 0; k < outcome.cols; ++k)
      values[k] = load(raw.data(), k, type.element);
    return values;
  };
  std::vector<std::vector<double>> arguments;
  for (size_t i = 0; i < program.arguments.size(); ++i)
    arguments.push_back(download(i));
  auto expected =
      computeRow(options.variant, arguments, program.arguments[0].element);
  if (expected.size() != program.results.size())
    fail(program.path + " is not a --variant=" + options.variant);
  for (size_t i = 0; i < expected.size(); ++i) {
    std::vector<double> actual = download(arguments.size() + i);
    for (int64_t k = 0; k < outcome.cols; ++k)
      outcome.maxUlp =
          std::max(outcome.maxUlp, getUlp(actual[k], expected[i][k],
                                          program.results[i].element));
  }
}

/// Compares whole tensors, because a result may depend on all rows.
void Run::checkByReference() {
  auto download = [&](size_t tensor) {
    const TensorType &type = getType(tensor);
    Bytes bytes(type.count(outcome.rows) * getBytes(type.element));
    gpu.download(bytes.data(), sets[0].tensors[tensor], bytes.size());
    return bytes;
  };
  std::vector<Bytes> arguments;
  for (size_t i = 0; i < program.arguments.size(); ++i)
    arguments.push_back(download(i));
  Reference reference(options.reference, options.function);
  std::vector<Bytes> expected = reference.run(program, arguments, outcome.rows);
  for (size_t i = 0; i < expected.size(); ++i) {
    Difference difference =
        compare(download(arguments.size() + i), expected[i],
                program.results[i].element, getRoundedType(program));
    outcome.maxUlp = std::max(outcome.maxUlp, difference.maxUlp);
    outcome.isRight &= difference.isRight;
  }
  outcome.isChecked = true;
}

/// Checks the first, the last and up to 30 other rows. A narrow result may be
/// off by one unit of the value before the weight, at most two of its own.
void Run::check() {
  program.launch(sets[0].tensors, outcome.rows, gpu.getStream());
  gpu.synchronize();
  if (!options.reference.empty())
    return checkByReference();
  if (!isVariant(options.variant))
    return;
  for (const auto *types : {&program.arguments, &program.results})
    for (const TensorType &type : *types)
      if (type.extents.size() > 2 || type.extents.back() != program.cols)
        fail(program.path + " is not a --variant=" + options.variant);
  int64_t most = std::clamp<int64_t>((1 << 21) / outcome.cols, 4, 32);
  int64_t count = std::min(outcome.rows, most);
  for (int64_t i = 0; i < count; ++i)
    checkRow(count == 1 ? 0 : i * (outcome.rows - 1) / (count - 1));
  outcome.isChecked = true;
  outcome.isRight =
      outcome.maxUlp <= (program.results[0].element == Element::F32 ? 4 : 2);
}

/// Returns enough calls for `seconds`, as whole passes over the sets.
int64_t Run::chooseCalls() {
  int64_t count = outcome.sets;
  GPU::Recording warmUp(
      gpu,
      [&](int64_t call) {
        program.launch(sets[call % count].tensors, outcome.rows,
                       gpu.getStream());
      },
      count, /*useGraph=*/false);
  warmUp.measure();
  double once = std::max(warmUp.measure(), 1e-7);
  auto turns = static_cast<int64_t>(
      std::ceil(options.seconds / (once * static_cast<double>(count))));
  return count * std::max<int64_t>(turns, 1);
}

static Times getTimes(std::vector<double> &seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

/// Alternates program and copies, so that they see the same clocks.
void Run::measure() {
  int64_t calls = outcome.calls = chooseCalls(), count = outcome.sets;
  size_t half = outcome.usefulBytes / 2;
  GPU::Recording program(
      gpu,
      [&](int64_t call) {
        this->program.launch(sets[call % count].tensors, outcome.rows,
                             gpu.getStream());
      },
      calls, options.useGraph);
  GPU::Recording copy(
      gpu,
      [&](int64_t call) {
        const Set &set = sets[call % count];
        gpu.copy(set.to, set.from, half);
      },
      calls, options.useGraph);
  GPU::Recording copyKernel(
      gpu,
      [&](int64_t call) {
        const Set &set = sets[call % count];
        gpu.copyByKernel(set.to, set.from, half);
      },
      calls, options.useGraph);
  outcome.isGraph = program.isGraph();
  std::vector<double> times[3];
  // The first iteration warms up.
  for (int i = 0; i <= options.repetitions; ++i) {
    double turn[] = {program.measure(), copy.measure(), copyKernel.measure()};
    for (int k = 0; k < 3 && i > 0; ++k)
      times[k].push_back(turn[k]);
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
  for (const auto *types : {&program.arguments, &program.results})
    for (const TensorType &type : *types)
      if (type.extents[0] < 0)
        row += type.count(1) * static_cast<int64_t>(getBytes(type.element));
  return std::max<int64_t>(bytes / std::max<int64_t>(row, 1), 1);
}

Outcome norm::bench::run(GPU &gpu, Program &program, int64_t rows,
                         const Options &options) {
  return Run(gpu, program, rows, options).get();
}

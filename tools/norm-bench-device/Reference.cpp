//===- Reference.cpp - what results should be, in f64 ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "GPU.h"
#include <algorithm>
#include <cmath>
#include <dlfcn.h>

using namespace norm::bench;

Reference::Reference(const std::string &path, const std::string &function)
    : path(path) {
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror());
  entry = dlsym(library, ("_mlir_ciface_" + function).c_str());
  if (!entry)
    fail(path + " has no function '" + function + "' for a CPU");
}

static Bytes widen(const Bytes &narrow, Element element) {
  if (Reference::getType(element) == element)
    return narrow;
  size_t count = narrow.size() / getBytes(element);
  Bytes wide(count * sizeof(double));
  auto *to = reinterpret_cast<double *>(wide.data());
  for (size_t i = 0; i < count; ++i)
    to[i] = load(narrow.data(), static_cast<int64_t>(i), element);
  return wide;
}

/// Returns a memref descriptor: two pointers, offset, extents and strides.
static std::vector<intptr_t> describe(Bytes &bytes, const TensorType &type,
                                      int64_t rows) {
  auto data = reinterpret_cast<intptr_t>(bytes.data());
  std::vector<intptr_t> words = {data, data, 0};
  size_t rank = type.extents.size();
  words.resize(3 + 2 * rank);
  intptr_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    words[3 + i] = type.extents[i] < 0 ? rows : type.extents[i];
    words[3 + rank + i] = stride;
    stride *= words[3 + i];
  }
  return words;
}

std::vector<Bytes> Reference::run(const Program &program,
                                  const std::vector<Bytes> &arguments,
                                  int64_t rows) {
  std::vector<Bytes> tensors;
  std::vector<const TensorType *> types;
  for (const TensorType &type : program.arguments) {
    tensors.push_back(widen(arguments[types.size()], type.element));
    types.push_back(&type);
  }
  for (const TensorType &type : program.results) {
    tensors.emplace_back(type.count(rows) * getBytes(getType(type.element)));
    types.push_back(&type);
  }
  constexpr size_t most = 8;
  if (tensors.size() > most)
    fail(path + ": too many arguments");
  std::vector<std::vector<intptr_t>> descriptors;
  for (size_t i = 0; i < tensors.size(); ++i)
    descriptors.push_back(describe(tensors[i], *types[i], rows));
  descriptors.resize(most);
  // Words beyond a function's parameters do not disturb it (Program::launch).
  using P = void *;
  P p[most];
  for (size_t i = 0; i < most; ++i)
    p[i] = descriptors[i].data();
  reinterpret_cast<void (*)(P, P, P, P, P, P, P, P)>(entry)(
      p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
  tensors.erase(tensors.begin(),
                tensors.begin() + static_cast<int64_t>(arguments.size()));
  return tensors;
}

/// Most units that a result may be off. Where terms cancel, as in a rotation,
/// each has the error of the norm before, times the weight; sums of columns add
/// thousands of numbers in f32. On the CPU f32 is off by 1, 6 and 10 of f64 for
/// ten million numbers of each class.
static double getLimit(Element element, Element rounded) {
  if (getBytes(element) == 1)
    return 2;
  return element == Element::F32 && rounded == Element::F32 ? 32 : 8;
}

/// Returns the type of x, to which a program may round before it writes wider
/// scales; one that writes f32 alone, a sum, has no reason to.
Element norm::bench::getRoundedType(const Program &program) {
  for (const TensorType &type : program.results)
    if (type.element != Element::F32)
      return program.arguments[0].element;
  return Element::F32;
}

Difference norm::bench::compare(const Bytes &actual, const Bytes &expected,
                                Element element, Element rounded) {
  auto count = static_cast<int64_t>(actual.size() / getBytes(element));
  Element wide = Reference::getType(element);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = load(expected.data(), i, wide);
    squares += std::isfinite(value) ? value * value : 0;
  }
  double typical = std::sqrt(squares / static_cast<double>(count));
  auto getLastPlace = [&](double value) {
    return std::max(getUnit(value, element), getUnit(value, rounded));
  };
  double least = getLastPlace(typical);
  Difference difference;
  for (int64_t i = 0; i < count; ++i) {
    double got = load(actual.data(), i, element);
    double value = load(expected.data(), i, wide);
    if (got == value || (std::isnan(got) && std::isnan(value)))
      continue;
    double ulp = std::fabs(got - value) / std::max(getLastPlace(value), least);
    difference.maxUlp =
        std::max(difference.maxUlp, std::isnan(ulp) ? INFINITY : ulp);
  }
  difference.isRight = difference.maxUlp <= getLimit(element, rounded);
  return difference;
}

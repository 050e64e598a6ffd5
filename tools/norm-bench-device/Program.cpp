//===- Program.cpp - a function of an artifact ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "../../runtime/cpu/Descriptor.h"
#include "GPU.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

using namespace norm::bench;
using llvm::APFloat;
using llvm::StringRef;

/// The first is a reference's alone.
static const Element kElements[] = {{"f64", 8, &APFloat::IEEEdouble()},
                                    {"f32", 4, &APFloat::IEEEsingle()},
                                    {"f16", 2, &APFloat::IEEEhalf()},
                                    {"bf16", 2, &APFloat::BFloat()},
                                    {"i8", 1, nullptr},
                                    {"f8E4M3FN", 1, &APFloat::Float8E4M3FN()}};
static const Element &kF64 = kElements[0], &kF32 = kElements[1];

/// Returns all numbers of a type of 8 or 16 bits.
static std::vector<double> list(const Element &element) {
  unsigned width = 8 * element.bytes;
  std::vector<double> numbers(size_t(1) << width);
  for (auto [bits, number] : llvm::enumerate(numbers))
    number = element.format ? APFloat(*element.format, llvm::APInt(width, bits))
                                  .convertToDouble()
                            : double(int8_t(bits));
  return numbers;
}

static double load(const Bytes &bytes, int64_t position,
                   const Element &element) {
  static std::vector<double> numbers[std::size(kElements)];
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[position * element.bytes], element.bytes);
  if (element.bytes == 8)
    return llvm::bit_cast<double>(bits);
  if (element.bytes == 4)
    return llvm::bit_cast<float>(uint32_t(bits));
  std::vector<double> &known = numbers[&element - kElements];
  if (known.empty())
    known = list(element);
  return known[bits];
}

void norm::bench::store(Bytes &bytes, int64_t position, const Element &element,
                        float value) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(*element.format, APFloat::rmTowardZero, &losesInfo);
  uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
  std::memcpy(&bytes[position * element.bytes], &bits, element.bytes);
}

/// Returns the distance from `value` to the next number; integers are numbers
/// below 2^8 without a fraction.
static double getUnit(double value, const Element &element) {
  int mantissa = 7, least = 7;
  if (element.format) {
    mantissa = int(APFloat::semanticsPrecision(*element.format)) - 1;
    least = APFloat::semanticsMinExponent(*element.format);
  }
  int exponent = least;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - mantissa);
}

int64_t TensorType::count(int64_t rows) const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent < 0 ? rows : extent;
  return product;
}

/// Parses and consumes "tensor<?x4096xbf16>" at the start of `text`.
static TensorType parseTensor(StringRef &text, StringRef path) {
  TensorType type;
  StringRef rest = text;
  rest.consume_front("tensor<");
  for (int64_t extent = 0;; rest.consume_front("x")) {
    if (rest.consume_front("?"))
      type.extents.push_back(-1);
    else if (!rest.consumeInteger(10, extent))
      type.extents.push_back(extent);
    else
      break;
  }
  StringRef name = rest.take_until([](char c) { return c == '>'; });
  type.element =
      llvm::find_if(llvm::drop_begin(kElements),
                    [&](const Element &e) { return e.name == name; });
  if (type.extents.empty() || type.element == std::end(kElements) ||
      llvm::is_contained(llvm::drop_begin(type.extents), -1))
    fail(path +
         ": only tensors of f32, f16, bf16, i8 and f8E4M3FN with a row length "
         "that is known are measured, not '" +
         text + "'");
  text = rest.drop_front(name.size() + 1);
  return type;
}

/// Returns a function of a library, and the library; `machine` is for the
/// message.
static std::pair<void *, void *> findFunction(const std::string &path,
                                              const std::string &function,
                                              const std::string &symbol,
                                              const char *machine) {
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror());
  void *found = dlsym(library, symbol.c_str());
  if (!found)
    fail(path + " has no function '" + function + "' for a " + machine);
  return {found, library};
}

Program::Program(const std::string &path, const std::string &function)
    : path(path), function(function) {
  void *library;
  std::tie(entry, library) =
      findFunction(path, function, function + "_launch", "GPU");
  message =
      reinterpret_cast<const char *(*)()>(dlsym(library, "norm_gpu_message"));
  auto *signature = static_cast<const char *>(
      dlsym(library, (function + "_signature").c_str()));
  if (!message || !signature)
    fail(path + " has no function '" + function + "' for a GPU");
  // The text is "(tensor<...>, ...) -> tensor<...>", or has bracketed results.
  for (StringRef text(signature); !text.empty();) {
    if (text.consume_front("-> "))
      numArguments = types.size();
    else if (StringRef("(), ").contains(text.front()))
      text = text.drop_front();
    else
      types.push_back(parseTensor(text, path));
  }
  if (numArguments == 0 || numArguments == types.size() ||
      types[0].extents.size() < 2)
    fail(path + ": '" + signature + "' has no rows to measure");
  for (const TensorType &type : llvm::ArrayRef(types).take_front(numArguments))
    if (type.element->bytes == 1)
      fail(path + ": arguments of 8 bits are not measured");
  rows = types[0].extents[0];
  cols = types[0].count(1) / (rows < 0 ? 1 : std::max<int64_t>(rows, 1));
}

/// Calls a function whose parameters are words. In the ABIs of x86-64 and
/// AArch64, pointers and 64-bit integers are passed alike, and words beyond a
/// function's parameters do not disturb it.
static int32_t call(void *entry, std::vector<uintptr_t> w, StringRef path) {
  constexpr size_t most = 16;
  if (w.size() > most)
    fail(path + ": too many arguments");
  w.resize(most);
  using W = uintptr_t;
  return reinterpret_cast<int32_t (*)(W, W, W, W, W, W, W, W, W, W, W, W, W, W,
                                      W, W)>(entry)(
      w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
      w[12], w[13], w[14], w[15]);
}

void Program::launch(llvm::ArrayRef<void *> tensors, int64_t rows,
                     void *stream) {
  std::vector<uintptr_t> words;
  for (auto [type, tensor] : llvm::zip_first(types, tensors)) {
    words.push_back(reinterpret_cast<uintptr_t>(tensor));
    words.insert(words.end(), type.extents[0] < 0, rows);
  }
  words.push_back(reinterpret_cast<uintptr_t>(stream));
  if (call(entry, std::move(words), path) != 0)
    fail(path + ": " + message());
}

/// Returns the type that a reference has in the place of `element`.
static const Element &getWide(const Element &element) {
  return &element == &kF32 ? kF64 : element;
}

std::vector<Bytes> norm::bench::runReference(const std::string &path,
                                             const Program &program,
                                             llvm::ArrayRef<Bytes> arguments,
                                             int64_t rows) {
  void *entry = findFunction(path, program.function,
                             "_mlir_ciface_" + program.function, "CPU")
                    .first;
  std::vector<Bytes> tensors;
  std::vector<std::vector<int64_t>> descriptors;
  std::vector<uintptr_t> words;
  for (auto [number, type] : llvm::enumerate(program.types)) {
    const Element &wide = getWide(*type.element);
    Bytes bytes(type.count(rows) * wide.bytes);
    if (number < arguments.size() && &wide == type.element)
      bytes = arguments[number];
    else if (number < arguments.size())
      for (int64_t i = 0, e = type.count(rows); i < e; ++i) {
        double value = load(arguments[number], i, *type.element);
        std::memcpy(&bytes[i * sizeof(value)], &value, sizeof(value));
      }
    std::vector<int64_t> shape = type.extents;
    llvm::replace(shape, int64_t(-1), rows);
    descriptors.emplace_back(cpu::getDescriptorWords(shape.size()));
    cpu::writeDescriptor(descriptors.back().data(), bytes.data(), shape.data(),
                         shape.size());
    words.push_back(reinterpret_cast<uintptr_t>(descriptors.back().data()));
    tensors.push_back(std::move(bytes));
  }
  call(entry, std::move(words), path);
  tensors.erase(tensors.begin(), tensors.begin() + arguments.size());
  return tensors;
}

/// Returns the type of x, to which a program may round before it writes wider
/// scales; one that writes f32 alone, a sum, has no reason to.
static const Element &getRoundedType(const Program &program) {
  for (size_t i = program.numArguments; i < program.types.size(); ++i)
    if (program.types[i].element != &kF32)
      return *program.types[0].element;
  return kF32;
}

/// Most units that a result may be off. A narrow norm may be off by one of the
/// value before the weight, at most two of its own, and by one more where it is
/// of a sum of two tensors: the program rounds that sum, which the reference
/// adds in f64. Where terms cancel, as in a rotation, each has the error of the
/// norm before, times the weight; sums of columns add thousands of numbers in
/// f32. On the CPU f32 is off by 1, 6 and 10 of f64 for ten million numbers of
/// each class.
static double getLimit(const Element &element, const Element &rounded,
                       bool strict) {
  bool isWide = &element == &kF32 && &rounded == &kF32;
  if (strict)
    return isWide ? 5 : 3;
  return element.bytes == 1 ? 2 : isWide ? 32 : 8;
}

Difference norm::bench::compare(const Program &program, size_t i,
                                const Bytes &actual, const Bytes &expected,
                                bool strict) {
  const Element &element = *program.types[program.numArguments + i].element;
  const Element &wide = getWide(element), &rounded = getRoundedType(program);
  auto count = static_cast<int64_t>(actual.size() / element.bytes);
  double squares = 0;
  for (int64_t k = 0; k < count; ++k) {
    double value = load(expected, k, wide);
    squares += std::isfinite(value) ? value * value : 0;
  }
  auto getLastPlace = [&](double value) {
    return std::max(getUnit(value, element), getUnit(value, rounded));
  };
  double typical = std::sqrt(squares / static_cast<double>(count));
  double least = strict ? 0 : getLastPlace(typical);
  Difference difference;
  for (int64_t k = 0; k < count; ++k) {
    double got = load(actual, k, element), value = load(expected, k, wide);
    if (got == value || (std::isnan(got) && std::isnan(value)))
      continue;
    double ulp = std::fabs(got - value) / std::max(getLastPlace(value), least);
    difference.maxUlp =
        std::max(difference.maxUlp, std::isnan(ulp) ? INFINITY : ulp);
  }
  difference.isRight = difference.maxUlp <= getLimit(element, rounded, strict);
  return difference;
}

//===- Program.cpp - a function of an artifact ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "GPU.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace norm::bench;

static constexpr struct {
  const char *name;
  size_t bytes;
} kElements[] = {{"f64", 8},  {"f32", 4}, {"f16", 2},
                 {"bf16", 2}, {"i8", 1},  {"f8E4M3FN", 1}};

size_t norm::bench::getBytes(Element element) {
  return kElements[static_cast<int>(element)].bytes;
}

const char *norm::bench::getName(Element element) {
  return kElements[static_cast<int>(element)].name;
}

int64_t TensorType::count(int64_t rows) const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent < 0 ? rows : extent;
  return product;
}

void *norm::bench::findFunction(const std::string &path,
                                const std::string &function,
                                const std::string &symbol, const char *machine,
                                void **library) {
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded)
    fail(dlerror());
  void *found = dlsym(loaded, symbol.c_str());
  if (!found)
    fail(path + " has no function '" + function + "' for a " + machine);
  if (library)
    *library = loaded;
  return found;
}

/// Parses and consumes "tensor<?x4096xbf16>" at the start of `text`.
static TensorType parseTensor(const char *&text, const std::string &path) {
  TensorType type;
  const char *at = text + (std::strncmp(text, "tensor<", 7) == 0 ? 7 : 0);
  while (*at == '?' || (*at >= '0' && *at <= '9')) {
    char *end = const_cast<char *>(at) + 1;
    type.extents.push_back(*at == '?' ? -1 : std::strtoll(at, &end, 10));
    at = end + (*end == 'x');
  }
  bool isKnown =
      !type.extents.empty() &&
      std::count(type.extents.begin() + 1, type.extents.end(), -1) == 0;
  for (Element element : {Element::F32, Element::F16, Element::BF16,
                          Element::I8, Element::F8E4M3FN}) {
    std::string name = std::string(getName(element)) + ">";
    if (!isKnown || std::strncmp(at, name.c_str(), name.size()) != 0)
      continue;
    type.element = element;
    text = at + name.size();
    return type;
  }
  fail(path +
       ": only tensors of f32, f16, bf16, i8 and f8E4M3FN with a row length "
       "that is known are measured, not '" +
       text + "'");
}

Program::Program(const std::string &path, const std::string &function)
    : path(path) {
  void *library = nullptr;
  entry = findFunction(path, function, function + "_launch", "GPU", &library);
  message =
      reinterpret_cast<const char *(*)()>(dlsym(library, "norm_gpu_message"));
  auto *signature = static_cast<const char *>(
      dlsym(library, (function + "_signature").c_str()));
  if (!message || !signature)
    fail(path + " has no function '" + function + "' for a GPU");
  // The text is "(tensor<...>, ...) -> tensor<...>", or has bracketed results.
  for (const char *text = signature; *text;) {
    if (std::strncmp(text, "-> ", 3) == 0) {
      numArguments = types.size();
      text += 3;
    } else if (std::strchr("(), ", *text)) {
      ++text;
    } else {
      types.push_back(parseTensor(text, path));
    }
  }
  if (numArguments == 0 || numArguments == types.size() ||
      types[0].extents.size() < 2)
    fail(path + ": '" + signature + "' has no rows to measure");
  for (size_t i = 0; i < numArguments; ++i)
    if (getBytes(types[i].element) == 1)
      fail(path + ": arguments of 8 bits are not measured");
  rows = types[0].extents[0];
  cols = types[0].count(1) / (rows < 0 ? 1 : std::max<int64_t>(rows, 1));
}

void Program::launch(const std::vector<void *> &tensors, int64_t rows,
                     void *stream) {
  std::vector<uintptr_t> w;
  for (size_t i = 0; i < types.size(); ++i) {
    w.push_back(reinterpret_cast<uintptr_t>(tensors[i]));
    w.insert(w.end(), types[i].extents[0] < 0, rows);
  }
  w.push_back(reinterpret_cast<uintptr_t>(stream));
  constexpr size_t most = 16;
  if (w.size() > most)
    fail(path + ": too many arguments");
  w.resize(most);
  // In the ABIs of x86-64 and AArch64, pointers and 64-bit integers are passed
  // alike, and words beyond a function's parameters do not disturb it.
  using W = uintptr_t;
  auto *call = reinterpret_cast<int32_t (*)(W, W, W, W, W, W, W, W, W, W, W, W,
                                            W, W, W, W)>(entry);
  if (call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10],
           w[11], w[12], w[13], w[14], w[15]) != 0)
    fail(path + ": " + message());
}

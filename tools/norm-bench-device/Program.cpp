//===- Program.cpp - a function of an artifact ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "GPU.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace norm::bench;

int64_t TensorType::count(int64_t rows) const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent < 0 ? rows : extent;
  return product;
}

size_t norm::bench::getBytes(Element element) {
  switch (element) {
  case Element::F64:
    return 8;
  case Element::F32:
    return 4;
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::I8:
  case Element::F8E4M3FN:
    return 1;
  }
  return 0;
}

const char *norm::bench::getName(Element element) {
  static const char *const names[] = {"f64",  "f32", "f16",
                                      "bf16", "i8",  "f8E4M3FN"};
  return names[static_cast<int>(element)];
}

/// Parses and consumes "tensor<?x4096xbf16>" at the start of `text`.
static TensorType parseTensor(const char *&text, const std::string &path) {
  auto refuse = [&]() {
    fail(path +
         ": only tensors of f32, f16, bf16, i8 and f8E4M3FN with a row length "
         "that is known are measured, not '" +
         text + "'");
  };
  TensorType type;
  if (std::strncmp(text, "tensor<", 7) != 0)
    refuse();
  const char *at = text + 7;
  while (*at == '?' || (*at >= '0' && *at <= '9')) {
    char *end = const_cast<char *>(at) + 1;
    type.extents.push_back(*at == '?' ? -1 : std::strtoll(at, &end, 10));
    if (*end != 'x')
      refuse();
    at = end + 1;
  }
  for (size_t i = 1; i < type.extents.size(); ++i)
    if (type.extents[i] < 0)
      refuse();
  if (type.extents.empty())
    refuse();
  for (Element element : {Element::F32, Element::F16, Element::BF16,
                          Element::I8, Element::F8E4M3FN}) {
    std::string name = std::string(getName(element)) + ">";
    if (std::strncmp(at, name.c_str(), name.size()) != 0)
      continue;
    type.element = element;
    text = at + name.size();
    return type;
  }
  refuse();
  return type;
}

Program::Program(const std::string &path, const std::string &function)
    : path(path) {
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror());
  entry = dlsym(library, (function + "_launch").c_str());
  message =
      reinterpret_cast<const char *(*)()>(dlsym(library, "norm_gpu_message"));
  auto *signature = static_cast<const char *>(
      dlsym(library, (function + "_signature").c_str()));
  if (!entry || !message || !signature)
    fail(path + " has no function '" + function + "' for a GPU");
  // The text is "(tensor<...>, ...) -> tensor<...>", or has bracketed results.
  std::vector<TensorType> *types = &arguments;
  for (const char *text = signature; *text;) {
    if (std::strncmp(text, "-> ", 3) == 0) {
      types = &results;
      text += 3;
    } else if (std::strchr("(), ", *text)) {
      ++text;
    } else {
      types->push_back(parseTensor(text, path));
    }
  }
  if (arguments.empty() || results.empty() || !arguments[0].hasRows())
    fail(path + ": '" + signature + "' has no rows to measure");
  rows = arguments[0].extents[0];
  cols = arguments[0].count(1) / (rows < 0 ? 1 : std::max<int64_t>(rows, 1));
}

void Program::launch(const std::vector<void *> &tensors, int64_t rows,
                     void *stream) {
  constexpr size_t most = 16;
  uintptr_t words[most] = {};
  size_t used = 0;
  auto add = [&](uintptr_t word) {
    if (used == most)
      fail(path + ": too many arguments");
    words[used++] = word;
  };
  auto addTensor = [&](const TensorType &type, void *data) {
    add(reinterpret_cast<uintptr_t>(data));
    for (int64_t extent : type.extents)
      if (extent < 0)
        add(rows);
  };
  size_t tensor = 0;
  for (const auto *types : {&arguments, &results})
    for (const TensorType &type : *types)
      addTensor(type, tensors[tensor++]);
  add(reinterpret_cast<uintptr_t>(stream));
  // In the ABIs of x86-64 and AArch64, pointers and 64-bit integers are passed
  // alike, and words beyond a function's parameters do not disturb it.
  using W = uintptr_t;
  auto *call = reinterpret_cast<int32_t (*)(W, W, W, W, W, W, W, W, W, W, W, W,
                                            W, W, W, W)>(entry);
  uintptr_t *w = words;
  int32_t code = call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8],
                      w[9], w[10], w[11], w[12], w[13], w[14], w[15]);
  if (code != 0)
    fail(path + ": " + message());
}

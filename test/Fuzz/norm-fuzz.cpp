//===- norm-fuzz.cpp - mutated programs through the compiler --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libFuzzer program: its options have one dash, ours have two.
//   norm-fuzz -seed=1 -runs=10000 CORPUS
//   --lower-all         every program goes through every pipeline
//   --plant             stands in for a defect: aborts where a norm with an
//                       epsilon above 1.25 is found
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "Mutation.h"
#include "Upstream.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstring>

// libFuzzer's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static fuzz::Session *session;

static void printCounts() { session->print(llvm::errs()); }

/// libFuzzer shows what a crashed process said: once a minute is enough.
static void printCountsByTime() {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point last = Clock::now();
  if (Clock::now() - last < std::chrono::minutes(1))
    return;
  last = Clock::now();
  printCounts();
}

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz::Options options;
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    llvm::StringRef argument = (*argv)[i];
    if (argument == "--lower-all")
      options.lowerAll = true;
    else if (argument == "--plant")
      options.planted = true;
    else if (argument.starts_with("--")) {
      llvm::errs() << "norm-fuzz: unknown option '" << argument << "'\n";
      exit(1);
    } else
      (*argv)[kept++] = (*argv)[i];
  }
  *argc = kept;
  session = new fuzz::Session(options); // lives as long as the process
  atexit(printCounts);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // Bytecode is upstream's reader alone.
  if (text.starts_with("ML\xEFR") || fuzz::crashesParser(text))
    return -1;
  session->execute(text.str());
  printCountsByTime();
  return 0;
}

static size_t copyOut(const std::string &text, uint8_t *data, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  memcpy(data, text.data(), size);
  return size;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  fuzz::Random random(seed + 1);
  if (random() % 32 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  return copyOut(fuzz::mutate(text, random), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  fuzz::Random random(seed + 1);
  llvm::StringRef first(reinterpret_cast<const char *>(data1), size1);
  llvm::StringRef second(reinterpret_cast<const char *>(data2), size2);
  // libFuzzer joins as often as it mutates, and most that is joined is invalid.
  return copyOut(random() % 8 == 0 ? fuzz::join(first, second, random)
                                   : fuzz::mutate(first, random),
                 out, maxSize);
}
// NOLINTEND(readability-identifier-naming)

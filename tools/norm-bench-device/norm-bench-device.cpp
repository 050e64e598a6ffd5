//===- norm-bench-device.cpp - times artifacts on a GPU -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This program needs only a driver, not LLVM or CUDA, so that it travels with
// the output of norm-compile --target=nvvm --emit=shared. norm-bench calls it.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Suite.h"
#include <stdexcept>

using namespace norm::bench;

/// Returns true if the results of all calls are right.
static bool runArtifact(GPU &gpu, const Arguments &all, const std::string &path,
                        Report &report) {
  Program program(path, all.function);
  std::vector<int64_t> rows = all.rows;
  if (program.rows >= 0)
    rows = {program.rows};
  else if (rows.empty())
    rows = {chooseRows(program, all.bytes)};
  bool isRight = true;
  for (int64_t count : rows) {
    Outcome outcome = run(gpu, program, count, all.options);
    isRight &= outcome.isRight;
    report.add(path, outcome);
  }
  return isRight;
}

static int measure(const Arguments &all) {
  GPU gpu;
  Report report(all, gpu);
  bool isRight = true;
  for (const std::string &path : all.files) {
    // The other artifacts are measured all the same.
    try {
      isRight &= runArtifact(gpu, all, path, report);
    } catch (const std::runtime_error &error) {
      std::fprintf(stderr, "error: %s\n", error.what());
      isRight = false;
      gpu.freeAll();
    }
  }
  return isRight ? 0 : 1;
}

int main(int argc, char **argv) {
  try {
    Arguments all = parseArguments(argc, argv);
    return all.suite.empty() ? measure(all) : runSuite(all);
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

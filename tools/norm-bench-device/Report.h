//===- Report.h - results as a table and as JSON -----------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_REPORT_H
#define NORM_BENCH_DEVICE_REPORT_H

#include "Arguments.h"
#include <cstdio>

namespace norm::bench {

/// Prints a line of the table, or a JSON object that begins with `fields`.
void printRow(FILE *file, const std::string &artifact, const Outcome &outcome);
void printJSON(FILE *file, const std::string &artifact, const Outcome &outcome,
               const std::string &fields = "");

/// Prints results as they come, because a later one may take long or fail.
class Report {
public:
  Report(const Arguments &arguments, const GPU &gpu);
  ~Report();
  void add(const std::string &artifact, const Outcome &outcome);

private:
  FILE *table = nullptr, *json = nullptr;
  bool isFirst = true;
};

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_REPORT_H

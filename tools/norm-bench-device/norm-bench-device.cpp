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

#include "Arguments.h"
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <unistd.h>

using namespace norm::bench;

/// What a check is run on besides few rows: the host needs a part of a second
/// for it, and sums of columns have more than 128 parts.
static constexpr int64_t kCheckedBytes = int64_t(1) << 25;

/// An odd number of rows leaves the last block of short rows partly empty.
static constexpr int64_t kCheckedRows = 67;

static FILE *openFile(const std::string &name, const char *mode) {
  FILE *file = name == "-" ? stdout : std::fopen(name.c_str(), mode);
  if (!file)
    fail("cannot write '" + name + "'");
  return file;
}

namespace {
/// Prints results as they come, because a later one may take long or fail.
class Report {
public:
  Report(const Arguments &all, const GPU &gpu) : all(all), gpu(gpu) {
    FILE *file = openFile(all.output, "w");
    (all.format == "json" ? json : table) = file;
    if (!all.json.empty())
      json = openFile(all.json, "a");
    if (table && all.label.empty())
      std::fprintf(table, "%s, best of %d\n", gpu.getName().c_str(),
                   all.options.repetitions);
  }
  void add(const Program &program, const Outcome &outcome);

private:
  void addToTable(const Program &program, const Outcome &o);
  void addToJSON(const Program &program, const Outcome &o);
  const Arguments &all;
  const GPU &gpu;
  FILE *table = nullptr, *json = nullptr;
};
} // namespace

static double getSpeed(const Outcome &o, double seconds) {
  return static_cast<double>(o.usefulBytes) / seconds * 1e-9;
}

void Report::addToTable(const Program &program, const Outcome &o) {
  if (!all.label.empty())
    std::fprintf(table, "%-6s ", all.label.c_str());
  std::fprintf(table, "%-28s %-4s %8lldx%-7lld %9.1f MB ",
               program.path.substr(program.path.rfind('/') + 1).c_str(),
               getName(program.types[0].element),
               static_cast<long long>(o.rows),
               static_cast<long long>(program.cols),
               static_cast<double>(o.usefulBytes) * 1e-6);
  if (all.options.measures)
    std::fprintf(table,
                 "%10.2f us %10.2f median %8.1f GB/s %6.3f of copy %6.3f of "
                 "copy kernel  ",
                 o.program.least * 1e6, o.program.median * 1e6,
                 getSpeed(o, o.program.least), o.copy.least / o.program.least,
                 o.copyKernel.least / o.program.least);
  if (o.isChecked)
    std::fprintf(table, "%.2f ulp%s\n", o.maxUlp, o.isRight ? "" : " WRONG");
  else
    std::fputs("not checked\n", table);
  std::fflush(table);
}

/// Prints one line, so that files of several runs are one.
void Report::addToJSON(const Program &program, const Outcome &o) {
  std::fprintf(json,
               "{\"device\": \"%s\", \"label\": \"%s\", \"artifact\": \"%s\", "
               "\"type\": \"%s\", \"rows\": %lld, \"cols\": %lld, "
               "\"useful_bytes\": %zu, \"repetitions\": %d",
               gpu.getName().c_str(), all.label.c_str(), program.path.c_str(),
               getName(program.types[0].element),
               static_cast<long long>(o.rows),
               static_cast<long long>(program.cols), o.usefulBytes,
               all.options.repetitions);
  auto printTimes = [&](const char *name, const Times &times) {
    std::fprintf(json,
                 ", \"%s\": {\"seconds\": %.9g, \"median_seconds\": %.9g, "
                 "\"gigabytes_per_second\": %.6g}",
                 name, times.least, times.median, getSpeed(o, times.least));
  };
  if (all.options.measures) {
    std::fprintf(
        json, ", \"buffer_sets\": %lld, \"calls\": %lld, \"timing\": \"%s\"",
        static_cast<long long>(o.sets), static_cast<long long>(o.calls),
        all.options.useGraph ? "graph" : "stream");
    printTimes("norm", o.program);
    printTimes("copy", o.copy);
    printTimes("copy_kernel", o.copyKernel);
    std::fprintf(
        json, ", \"ratio_to_copy\": %.4f, \"ratio_to_copy_kernel\": %.4f",
        o.copy.least / o.program.least, o.copyKernel.least / o.program.least);
  }
  if (o.isChecked)
    std::fprintf(json, ", \"max_ulp\": %.4g, \"right\": %s}\n",
                 std::min(o.maxUlp, 1e30), o.isRight ? "true" : "false");
  else
    std::fputs(", \"max_ulp\": null, \"right\": null}\n", json);
  std::fflush(json);
}

void Report::add(const Program &program, const Outcome &outcome) {
  if (table)
    addToTable(program, outcome);
  if (json)
    addToJSON(program, outcome);
}

/// Returns the reference beside NAME.so, NAME.reference, if there is one.
static std::string findReference(const std::string &path) {
  std::string file = path.substr(0, path.rfind(".so")) + ".reference";
  return access(file.c_str(), R_OK) == 0 ? file : "";
}

/// Returns true if the results of all calls are right.
static bool runArtifact(GPU &gpu, const Arguments &all, const std::string &path,
                        Report &report) {
  Options options = all.options;
  Program program(path, options.function);
  if (options.reference.empty())
    options.reference = findReference(path);
  if (options.reference == "none")
    options.reference.clear();
  std::vector<int64_t> rows = all.rows;
  if (!options.measures) {
    if (options.reference.empty())
      fail(path + " has no .reference beside it to check it");
    options.warm = true;
    rows = {kCheckedRows,
            chooseRows(program, std::min(all.bytes, kCheckedBytes))};
  }
  if (program.rows >= 0)
    rows = {program.rows};
  else if (rows.empty())
    rows = {chooseRows(program, all.bytes)};
  bool isRight = true;
  for (int64_t count : rows) {
    Outcome outcome = run(gpu, program, count, options);
    isRight &= outcome.isRight;
    report.add(program, outcome);
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
    return measure(parseArguments(argc, argv));
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

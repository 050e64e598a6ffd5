//===- norm-bench-device.cpp - times artifacts on a GPU -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs neither LLVM nor CUDA, only a driver, so that it travels with what
// norm-compile --target=nvvm --emit=shared wrote. norm-bench calls it.
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

using namespace norm::bench;

static const char kHelp[] =
    "usage: norm-bench-device [options] LIB.so...\n"
    "Times functions of norm-compile --target=nvvm --emit=shared beside "
    "copies.\n"
    "  --function=NAME     public function (default main)\n"
    "  --variant=NAME      what it computes, to check it: llama (default),\n"
    "                      gemma, plain, bias, residual, or none\n"
    "  --rows=N,...        rows, where the artifact leaves them open\n"
    "  --bytes=N           else rows for so many useful bytes (default 2^28)\n"
    "  --repetitions=N     of each measurement (default 30)\n"
    "  --seconds=S         of one repetition, at least one call (0.0005)\n"
    "  --warm              one set of buffers; else L2 is swept between calls\n"
    "  --timing=HOW        graph (default, no host time) or stream\n"
    "  --format=FORMAT     table or json\n"
    "  --json=FILE         JSON beside the table\n"
    "  -o FILE             output file\n";

namespace {
struct Arguments {
  Options options;
  std::vector<std::string> files;
  std::vector<int64_t> rows;
  std::string function = "main", format = "table", output = "-", json;
  int64_t bytes = int64_t(1) << 28;
};
} // namespace

/// The text after "--name=", null for another option.
static const char *getValue(const char *argument, const char *name) {
  size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 && argument[length] == '='
             ? argument + length + 1
             : nullptr;
}

static int64_t parsePositive(const char *text, const char *name) {
  char *end = nullptr;
  int64_t value = std::strtoll(text, &end, 10);
  if (end == text || (*end && *end != ',') || value < 1)
    fail(std::string(name) + " must be positive, not '" + text + "'");
  return value;
}

static void parseRows(const char *text, std::vector<int64_t> &rows) {
  while (text && *text) {
    rows.push_back(parsePositive(text, "--rows"));
    text = std::strchr(text, ',');
    text += text != nullptr;
  }
}

static void parseOption(const char *argument, Arguments &all) {
  if (const char *v = getValue(argument, "--function"))
    all.function = v;
  else if (const char *v = getValue(argument, "--variant"))
    all.options.variant = v;
  else if (const char *v = getValue(argument, "--rows"))
    parseRows(v, all.rows);
  else if (const char *v = getValue(argument, "--bytes"))
    all.bytes = parsePositive(v, "--bytes");
  else if (const char *v = getValue(argument, "--repetitions"))
    all.options.repetitions = parsePositive(v, "--repetitions");
  else if (const char *v = getValue(argument, "--seconds"))
    all.options.seconds = std::strtod(v, nullptr);
  else if (const char *v = getValue(argument, "--timing"))
    all.options.useGraph = std::strcmp(v, "stream") != 0;
  else if (const char *v = getValue(argument, "--format"))
    all.format = v;
  else if (const char *v = getValue(argument, "--json"))
    all.json = v;
  else if (std::strcmp(argument, "--warm") == 0)
    all.options.warm = true;
  else
    fail(std::string("unknown option '") + argument + "'; see --help");
}

static Arguments parse(int argc, char **argv) {
  Arguments all;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (std::strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      all.output = argv[++i];
    else if (argv[i][0] == '-')
      parseOption(argv[i], all);
    else
      all.files.push_back(argv[i]);
  }
  if (all.files.empty())
    fail("no artifact was given; see --help");
  if (!isVariant(all.options.variant) && all.options.variant != "none")
    fail("unknown --variant '" + all.options.variant + "'; see --help");
  if (all.format != "table" && all.format != "json")
    fail("unknown --format '" + all.format + "'; table or json");
  if (!(all.options.seconds > 0))
    fail("--seconds must be positive");
  return all;
}

/// Rows that make `bytes` of useful bytes.
static int64_t chooseRows(const Program &program, int64_t bytes) {
  int64_t row = 0;
  for (const auto *types : {&program.arguments, &program.results})
    for (const TensorType &type : *types)
      if (type.hasRows())
        row += program.cols * static_cast<int64_t>(getBytes(type.element));
  return std::max<int64_t>(bytes / std::max<int64_t>(row, 1), 1);
}

static double getSpeed(const Outcome &o, double seconds) {
  return static_cast<double>(o.usefulBytes) / seconds * 1e-9;
}

static void printRow(FILE *file, const Outcome &o) {
  char ulp[32] = "not checked";
  if (o.isChecked)
    std::snprintf(ulp, sizeof(ulp), "%.2f ulp%s", o.maxUlp,
                  o.isRight ? "" : " WRONG");
  std::fprintf(file,
               "%-28s %-4s %8lldx%-7lld %9.1f MB %10.2f us %10.2f median "
               "%8.1f GB/s %6.3f of copy %6.3f of copy kernel  %s\n",
               o.artifact.substr(o.artifact.rfind('/') + 1).c_str(), o.type,
               static_cast<long long>(o.rows), static_cast<long long>(o.cols),
               static_cast<double>(o.usefulBytes) * 1e-6, o.program.least * 1e6,
               o.program.median * 1e6, getSpeed(o, o.program.least),
               o.copy.least / o.program.least,
               o.copyKernel.least / o.program.least, ulp);
}

static void printTimes(FILE *file, const char *name, const Outcome &o,
                       const Times &times) {
  std::fprintf(file,
               "\n    \"%s\": {\"seconds\": %.9g, \"median_seconds\": %.9g, "
               "\"gigabytes_per_second\": %.6g},",
               name, times.least, times.median, getSpeed(o, times.least));
}

static void printJSON(FILE *file, const Outcome &o) {
  std::fprintf(file,
               "  {\"artifact\": \"%s\", \"type\": \"%s\", \"rows\": %lld, "
               "\"cols\": %lld, \"useful_bytes\": %zu, \"buffer_sets\": %lld, "
               "\"calls\": %lld, \"timing\": \"%s\",",
               o.artifact.c_str(), o.type, static_cast<long long>(o.rows),
               static_cast<long long>(o.cols), o.usefulBytes,
               static_cast<long long>(o.sets), static_cast<long long>(o.calls),
               o.isGraph ? "graph" : "stream");
  printTimes(file, "norm", o, o.program);
  printTimes(file, "copy", o, o.copy);
  printTimes(file, "copy_kernel", o, o.copyKernel);
  std::fprintf(
      file, "\n    \"ratio_to_copy\": %.4f, \"ratio_to_copy_kernel\": %.4f,",
      o.copy.least / o.program.least, o.copyKernel.least / o.program.least);
  if (o.isChecked)
    std::fprintf(file, " \"max_ulp\": %.4g, \"right\": %s}", o.maxUlp,
                 o.isRight ? "true" : "false");
  else
    std::fprintf(file, " \"max_ulp\": null, \"right\": null}");
}

namespace {
/// Where results go, as they come: a later one may take long, or fail.
class Report {
public:
  Report(const Arguments &arguments, const GPU &gpu);
  ~Report();
  void add(const Outcome &outcome);

private:
  FILE *table = nullptr, *json = nullptr;
  bool isFirst = true;
};
} // namespace

static FILE *openFile(const std::string &name) {
  FILE *file = name == "-" ? stdout : std::fopen(name.c_str(), "w");
  if (!file)
    fail("cannot write '" + name + "'");
  return file;
}

Report::Report(const Arguments &arguments, const GPU &gpu) {
  if (arguments.format == "table")
    table = openFile(arguments.output);
  else
    json = openFile(arguments.output);
  if (!arguments.json.empty() && !json)
    json = openFile(arguments.json);
  int repetitions = arguments.options.repetitions;
  if (table)
    std::fprintf(table, "%s, best of %d\n", gpu.getName().c_str(), repetitions);
  if (json)
    std::fprintf(json,
                 "{\"device\": \"%s\", \"repetitions\": %d, "
                 "\"variant\": \"%s\", \"results\": [\n",
                 gpu.getName().c_str(), repetitions,
                 arguments.options.variant.c_str());
}

Report::~Report() {
  if (json)
    std::fputs("\n]}\n", json);
}

void Report::add(const Outcome &outcome) {
  if (table) {
    printRow(table, outcome);
    std::fflush(table);
  }
  if (json) {
    std::fputs(isFirst ? "" : ",\n", json);
    printJSON(json, outcome);
    std::fflush(json);
  }
  isFirst = false;
}

/// Whether the results of all calls are right.
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
    report.add(outcome);
  }
  return isRight;
}

static int measure(const Arguments &all) {
  GPU gpu;
  Report report(all, gpu);
  bool isRight = true;
  for (const std::string &path : all.files) {
    // The others are measured all the same.
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
    return measure(parse(argc, argv));
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

//===- Report.cpp - results as a table and as JSON ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

using namespace norm::bench;

static double getSpeed(const Outcome &o, double seconds) {
  return static_cast<double>(o.usefulBytes) / seconds * 1e-9;
}

void norm::bench::printRow(FILE *file, const std::string &artifact,
                           const Outcome &o) {
  char ulp[32] = "not checked";
  if (o.isChecked)
    std::snprintf(ulp, sizeof(ulp), "%.2f ulp%s", o.maxUlp,
                  o.isRight ? "" : " WRONG");
  std::fprintf(file,
               "%-28s %-4s %8lldx%-7lld %9.1f MB %10.2f us %10.2f median "
               "%8.1f GB/s %6.3f of copy %6.3f of copy kernel  %s\n",
               artifact.substr(artifact.rfind('/') + 1).c_str(), o.type,
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

void norm::bench::printJSON(FILE *file, const std::string &artifact,
                            const Outcome &o, const std::string &fields) {
  std::fprintf(file,
               "  {%s\"artifact\": \"%s\", \"type\": \"%s\", \"rows\": %lld, "
               "\"cols\": %lld, \"useful_bytes\": %zu, \"buffer_sets\": %lld, "
               "\"calls\": %lld, \"timing\": \"%s\",",
               fields.c_str(), artifact.c_str(), o.type,
               static_cast<long long>(o.rows), static_cast<long long>(o.cols),
               o.usefulBytes, static_cast<long long>(o.sets),
               static_cast<long long>(o.calls), o.isGraph ? "graph" : "stream");
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

void Report::add(const std::string &artifact, const Outcome &outcome) {
  if (table) {
    printRow(table, artifact, outcome);
    std::fflush(table);
  }
  if (json) {
    std::fputs(isFirst ? "" : ",\n", json);
    printJSON(json, artifact, outcome);
    std::fflush(json);
  }
  isFirst = false;
}

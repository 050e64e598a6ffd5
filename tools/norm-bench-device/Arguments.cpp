//===- Arguments.cpp - the command line of norm-bench-device --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>

using namespace norm::bench;

static const char kHelp[] =
    "usage: norm-bench-device [options] LIB.so...\n"
    "Times functions of norm-compile --target=nvvm --emit=shared beside "
    "copies.\n"
    "  --function=NAME     public function (default main)\n"
    "  --reference=FILE    the same function for the CPU, f32 as f64, to "
    "check\n"
    "                      it (default: NAME.reference beside NAME.so, if "
    "any)\n"
    "  --strict            no terms cancel, so errors count at each number\n"
    "  --check             check it at 67 and at more rows, and measure "
    "nothing\n"
    "  --rows=N,...        rows, where the artifact leaves them open\n"
    "  --bytes=N           else rows for so many useful bytes (default 2^28)\n"
    "  --repetitions=N     of each measurement (default 30)\n"
    "  --seconds=S         of one repetition, at least one call (0.0005)\n"
    "  --warm              one set of buffers; else L2 is swept between calls\n"
    "  --timing=HOW        graph (default, no host time) or stream\n"
    "  --format=FORMAT     table or json\n"
    "  --json=FILE         add JSON to a file beside the table\n"
    "  --label=TEXT        said of each result in JSON\n"
    "  -o FILE             output file\n";

/// Returns the text after "--name=", or null for another option.
static const char *getValue(const char *argument, const char *name) {
  size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 && argument[length] == '='
             ? argument + length + 1
             : nullptr;
}

static int64_t parsePositive(const char *text, const char *name) {
  char *end = nullptr;
  errno = 0;
  int64_t value = std::strtoll(text, &end, 10);
  if (end == text || *end || value < 1 || errno)
    fail(std::string(name) + " must be positive, not '" + text + "'");
  return value;
}

/// Parses a number that is finite and not negative.
static double parseSeconds(const char *text, const char *name) {
  char *end = nullptr;
  double value = std::strtod(text, &end);
  if (end == text || *end || !std::isfinite(value) || value < 0)
    fail(std::string(name) + " must be a number of seconds, not '" + text +
         "'");
  return value;
}

static void parseRows(const char *text, std::vector<int64_t> &rows) {
  std::string all = text;
  for (size_t begin = 0, end; begin <= all.size(); begin = end + 1) {
    end = std::min(all.find(',', begin), all.size());
    rows.push_back(
        parsePositive(all.substr(begin, end - begin).c_str(), "--rows"));
  }
}

/// Returns whether calls are put into a graph.
static bool parseTiming(const std::string &text) {
  if (text != "graph" && text != "stream")
    fail("unknown --timing '" + text + "'; graph or stream");
  return text == "graph";
}

static void parseOption(const char *argument, Arguments &all) {
  if (const char *v = getValue(argument, "--function"))
    all.options.function = v;
  else if (const char *v = getValue(argument, "--reference"))
    all.options.reference = v;
  else if (const char *v = getValue(argument, "--rows"))
    parseRows(v, all.rows);
  else if (const char *v = getValue(argument, "--bytes"))
    all.bytes = parsePositive(v, "--bytes");
  else if (const char *v = getValue(argument, "--repetitions"))
    all.options.repetitions =
        std::min<int64_t>(parsePositive(v, "--repetitions"), 1 << 30);
  else if (const char *v = getValue(argument, "--seconds"))
    all.options.seconds = parseSeconds(v, "--seconds");
  else if (const char *v = getValue(argument, "--timing"))
    all.options.useGraph = parseTiming(v);
  else if (const char *v = getValue(argument, "--format"))
    all.format = v;
  else if (const char *v = getValue(argument, "--json"))
    all.json = v;
  else if (const char *v = getValue(argument, "--label"))
    all.label = v;
  else if (std::strcmp(argument, "--check") == 0)
    all.options.measures = false;
  else if (std::strcmp(argument, "--strict") == 0)
    all.options.strict = true;
  else if (std::strcmp(argument, "--warm") == 0)
    all.options.warm = true;
  else
    fail(std::string("unknown option '") + argument + "'; see --help");
}

static bool isSameFile(const std::string &one, const std::string &other) {
  struct stat first, second;
  bool exist = stat(one.c_str(), &first) == 0;
  if (exist != (stat(other.c_str(), &second) == 0))
    return false;
  return exist ? S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
                     first.st_ino == second.st_ino
               : one == other && !one.empty();
}

/// Rejects outputs that are another file that is named.
static void checkOutputs(const Arguments &all) {
  std::vector<std::string> others = all.files;
  others.push_back(all.options.reference);
  for (const std::string &other : others)
    for (const std::string &output : {all.output, all.json})
      if (isSameFile(output, other))
        fail("'" + output + "' is an input and an output");
  bool isShared =
      all.output == "-" ? all.json == "-" : isSameFile(all.output, all.json);
  if (isShared && all.format == "table")
    fail("-o and --json are the same file, '" + all.output + "'");
}

Arguments norm::bench::parseArguments(int argc, char **argv) {
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
  if (all.format != "table" && all.format != "json")
    fail("unknown --format '" + all.format + "'; table or json");
  if (!(all.options.seconds > 0))
    fail("--seconds must be positive");
  checkOutputs(all);
  return all;
}

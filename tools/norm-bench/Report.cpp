//===- Report.cpp - results as a table or JSON ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::norm;
using llvm::formatv;
namespace json = llvm::json;

static void printTable(raw_ostream &os, const BenchResult &result,
                       unsigned repetitions) {
  os << result.program
     << formatv(", {0:F1} MB useful, {1} thread{2}", result.usefulBytes * 1e-6,
                result.threads, result.threads > 1 ? "s" : "");
  if (result.cold)
    os << ", cold (" << result.sets << " sets of buffers)";
  os << ", best of " << repetitions << "\n";
  for (const Measurement &m : result.measurements) {
    os << formatv("  {0,-18} {1,10:F2} us {2,8:F2} GB/s {3,7:F2} of memcpy",
                  m.name, m.seconds * 1e6, m.gigabytesPerSecond, m.ratioToCopy);
    if (m.ratioToStream)
      os << formatv(" {0,7:F2} of NT copy", *m.ratioToStream);
    os << "\n";
  }
}

void norm::printTable(raw_ostream &os, ArrayRef<BenchResult> results,
                      unsigned repetitions) {
  for (const BenchResult &result : results)
    ::printTable(os, result, repetitions);
}

static json::Value toJSON(const Measurement &m) {
  return json::Object{{"name", m.name},
                      {"seconds", m.seconds},
                      {"gigabytes_per_second", m.gigabytesPerSecond},
                      {"ratio_to_memcpy", m.ratioToCopy},
                      {"ratio_to_nt_copy", m.ratioToStream}};
}

static json::Value toJSON(const BenchResult &result) {
  json::Array measurements;
  for (const Measurement &m : result.measurements)
    measurements.push_back(toJSON(m));
  json::Object object{{"program", result.program},
                      {"useful_bytes", int64_t(result.usefulBytes)},
                      {"threads", int64_t(result.threads)},
                      {"cold", result.cold},
                      {"buffer_sets", int64_t(result.sets)},
                      {"measurements", std::move(measurements)}};
  if (const auto &program = result.generated) {
    object["variant"] = program->variant;
    object["type"] = program->type;
    object["rows"] = program->rows;
    object["cols"] = program->cols;
  }
  return object;
}

void norm::printJSON(raw_ostream &os, ArrayRef<BenchResult> results) {
  json::Array all;
  for (const BenchResult &result : results)
    all.push_back(toJSON(result));
  os << formatv("{0:2}\n", json::Value(std::move(all)));
}

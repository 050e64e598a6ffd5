//===- Report.h - what a compilation did, as data ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_REPORT_REPORT_H
#define NORM_REPORT_REPORT_H

#include "norm/Compiler/Options.h"
#include <optional>
#include <set>

namespace mlir::norm {

/// Bytes or operations: a sum of amounts, each times dynamic extents.
struct Volume {
  struct Term {
    double amount;
    std::string extents;     ///< such as "arg0.d0"; empty: none is dynamic
    unsigned numDynamic = 0; ///< factors of `extents`
    bool hasRow = false;     ///< static extents beside the dynamic ones
  };
  SmallVector<Term> terms;

  void add(const Term &term);
  void add(const Volume &other);
  bool isStatic() const;
  double getStatic() const;
  /// The sum of the terms with the most dynamic factors: what one more row, or
  /// one more element, costs.
  double getLeading() const;
  bool isPerRow() const;
};

/// One decision of recognition.
struct Finding {
  Location loc;
  bool isMatch;
  std::string text;
};

/// How threads share the rows of a kernel.
struct KernelSchedule {
  int64_t threads, vector, rowsABlock, cluster;
};

/// Operations that run as one loop over rows, or as one kernel.
struct RowLoop {
  explicit RowLoop(Location loc) : loc(loc) {}

  Location loc;
  std::set<unsigned> sourceLines;
  std::set<std::string> vectors;       ///< such as "64 x f32"
  std::set<std::string> read, written; ///< buffers from outside
  Volume readBytes, writtenBytes;
  bool isStreamed = false; ///< there is a version that writes past the cache
  bool isParallel = false;
  std::optional<KernelSchedule> schedule;
};

struct FunctionReport {
  std::string name;
  unsigned numLinalgOps = 0; ///< before they are fused
  Volume operations;         ///< of arithmetic on floats
  std::vector<RowLoop> loops;

  Volume getBytes() const;
};

/// The limits of the machine, and where the numbers are from.
struct Roof {
  double gigabytesPerSecond = 0; ///< 0: not known
  double gigaflops = 0;          ///< 0: not known
  std::string bandwidthSource, peakSource;
};

struct Report {
  std::string file, source; ///< its name and text
  std::string machine;      ///< in words
  unsigned threads = 1;
  bool hasKernels = false; ///< of a GPU, where others have loops
  Roof roof;
  std::vector<Finding> findings;
  std::string recognized;          ///< the IR with norm ops
  std::set<unsigned> normLines;    ///< of `recognized`
  std::set<unsigned> matchedLines; ///< of `source`
  std::vector<FunctionReport> functions;
};

/// What `--bandwidth` and `--peak` give; 0: the default for the machine.
struct RoofOptions {
  double gigabytesPerSecond = 0, gigaflops = 0;
};

/// Compiles a copy of `module`, whose text is `source` in `file`, and takes
/// notes. Errors are diagnostics.
FailureOr<Report> analyzeModule(ModuleOp module, StringRef source,
                                StringRef file, const CompileOptions &options,
                                const RoofOptions &roof);

/// For a terminal: about one screen.
void printReport(const Report &report, raw_ostream &os);
/// One HTML page that loads nothing.
void printReportPage(const Report &report, raw_ostream &os);

// What both have to say in words.

/// "12:8" in the report's file, else the location itself.
std::string describeLocation(const Report &report, Location loc);
/// The line of the report's file; none where the location is elsewhere.
std::optional<unsigned> getSourceLine(StringRef file, Location loc);
/// "33.6 MB", or a formula of extents.
std::string describeBytes(const Volume &volume);
/// "2.17 ms", "1.1 ns a row"; empty where the bandwidth is not known.
std::string describeTime(const Volume &bytes, const Roof &roof);
/// Operations a byte; nothing where a function moves none.
std::optional<double> getIntensity(const FunctionReport &function);
/// The plot of the machine's roof with a point a function.
void printRoofline(const Report &report, raw_ostream &os);

} // namespace mlir::norm

#endif // NORM_REPORT_REPORT_H

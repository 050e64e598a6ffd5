//===- Report.h - what a compilation did, as data ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_REPORT_REPORT_H
#define NORM_REPORT_REPORT_H

#include "norm/Compiler/Options.h"
#include "norm/IR/Norm.h"
#include <optional>
#include <set>

namespace mlir::norm {

/// A number of bytes or operations: a sum of amounts times dynamic extents.
struct Volume {
  struct Term {
    double amount;
    std::string extents;     ///< such as "arg0.d0"; empty: none is dynamic
    unsigned numDynamic = 0; ///< number of factors in `extents`
    bool hasRow = false;     ///< it has static extents beside the dynamic ones
  };
  SmallVector<Term> terms;

  void add(const Term &term);
  void add(const Volume &other);
  bool isStatic() const;
  double getStatic() const;
  /// Returns the sum of the terms with the most dynamic factors, which is the
  /// cost of one more row or element.
  double getLeading() const;
  bool isPerRow() const;
};

/// A decision of the recognizer, or a reason that code generation gives.
struct Finding {
  enum class Kind { Match, Rejection, Product, Missed };
  Location loc;
  Kind kind;
  std::string text;
};

/// The schedule by which threads share the rows of a kernel.
struct KernelSchedule {
  GPUScheduleAttr threads;
  int64_t rowsPerBlock = 1;
};

/// The plan by which a CPU goes through rows.
struct LoopPlan {
  RowPlanAttr plan;
  int64_t rowsPerIteration = 0; ///< 0: not known
};

/// Operations that run as one loop over rows or as one kernel.
struct RowLoop {
  explicit RowLoop(Location loc) : loc(loc) {}

  Location loc;
  std::set<unsigned> sourceLines;
  std::set<std::string> vectors;       ///< such as "64 x f32"
  std::set<std::string> read, written; ///< buffers defined outside of the loop
  Volume readBytes, writtenBytes;
  bool isStreamed = false; ///< one version of it writes past the cache
  bool isParallel = false;
  bool isCopy = false; ///< moves elements as they are, without a schedule
  std::optional<KernelSchedule> schedule;
  std::optional<LoopPlan> plan;
};

struct FunctionReport {
  std::string name;
  unsigned numLinalgOps = 0; ///< before fusion
  Volume operations;         ///< arithmetic on floats
  std::vector<RowLoop> loops;

  Volume getBytes() const;
};

/// The limits of the machine, and where the numbers come from.
struct Roof {
  double gigabytesPerSecond = 0; ///< 0: unknown
  double gigaflops = 0;          ///< 0: unknown
  std::string bandwidthSource, peakSource;
};

struct Report {
  std::string file, source; ///< name and text of the file
  std::string machine;      ///< described in words
  unsigned threads = 1;
  bool hasKernels = false;       ///< `functions` have kernels instead of loops
  bool isForThisMachine = false; ///< whose bandwidth could be measured
  Roof roof;
  std::vector<Finding> findings;
  std::string recognized;          ///< the IR with norm ops
  std::set<unsigned> normLines;    ///< lines of `recognized`
  std::set<unsigned> matchedLines; ///< lines of `source`
  std::vector<FunctionReport> functions;
};

/// The values of `--bandwidth` and `--peak`; 0 is the machine's default.
struct RoofOptions {
  double gigabytesPerSecond = 0, gigaflops = 0;
};

/// Compiles a copy of `module`, which was parsed from the text `source` of
/// `file`, and records what happens. Errors are diagnostics.
FailureOr<Report> analyzeModule(ModuleOp module, StringRef source,
                                StringRef file, const CompileOptions &options,
                                const RoofOptions &roof);

/// Prints the report for a terminal, on about one screen.
void printReport(const Report &report, raw_ostream &os);
/// Prints the report as one HTML page that loads no other file.
void printReportPage(const Report &report, raw_ostream &os);

// Descriptions that both reports use.

/// Returns "12:8" for a place in the report's file, else the whole location.
std::string describeLocation(const Report &report, Location loc);
/// Returns the line in the report's file, or nullopt for other locations.
std::optional<unsigned> getSourceLine(StringRef file, Location loc);
/// Returns text such as "33.6 MB", or a formula of extents.
std::string describeBytes(const Volume &volume);
/// Returns "2.17 ms" or "1.1 ns a row"; empty if the bandwidth is unknown.
std::string describeTime(const Volume &bytes, const Roof &roof);
/// Returns operations per byte, or nullopt where no bytes are moved.
std::optional<double> getIntensity(const FunctionReport &function);
/// Plots the machine's roofline with one point per function.
void printRoofline(const Report &report, raw_ostream &os);

} // namespace mlir::norm

#endif // NORM_REPORT_REPORT_H

//===- Text.cpp - a report for a terminal ---------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Report/Report.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::norm;

/// The number of entries per list, so that the report fits on a screen.
static constexpr size_t mostEntries = 8;

static FileLineColLoc findPlace(StringRef file, Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location part) {
    auto at = dyn_cast<FileLineColLoc>(part);
    if (at && (!found || at.getFilename() == file))
      found = at;
    return found && found.getFilename() == file ? WalkResult::interrupt()
                                                : WalkResult::advance();
  });
  return found;
}

std::string norm::describeLocation(const Report &report, Location loc) {
  FileLineColLoc at = findPlace(report.file, loc);
  if (!at)
    return "unknown location";
  std::string place =
      std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn());
  bool isHere = at.getFilename() == report.file;
  return isHere ? place : (at.getFilename().getValue() + ":" + place).str();
}

static void printFindings(const Report &report, Finding::Kind kind,
                          StringRef title, raw_ostream &os) {
  SmallVector<const Finding *> chosen;
  for (const Finding &finding : report.findings)
    if (finding.kind == kind)
      chosen.push_back(&finding);
  os << '\n' << title << ": " << chosen.size() << '\n';
  for (const Finding *finding : ArrayRef(chosen).take_front(mostEntries))
    os << "  " << describeLocation(report, finding->loc) << "  "
       << finding->text << '\n';
  if (chosen.size() > mostEntries)
    os << "  and " << chosen.size() - mostEntries
       << " more: --report has them all\n";
}

/// Prints the lines 7, 8, 9, 12 as "7-9, 12".
static void printLines(const std::set<unsigned> &lines, raw_ostream &os) {
  SmallVector<unsigned> sorted(lines.begin(), lines.end());
  for (size_t i = 0; i < sorted.size();) {
    size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1)
      ++last;
    os << (i ? ", " : "") << sorted[i];
    if (last > i)
      os << '-' << sorted[last];
    i = last + 1;
  }
}

static void printNames(const std::set<std::string> &names, raw_ostream &os) {
  if (names.empty())
    os << "nothing";
  llvm::interleaveComma(names, os);
}

static void printSchedule(const KernelSchedule &kernel, raw_ostream &os) {
  GPUScheduleAttr schedule = kernel.threads;
  os << "    schedule: " << schedule.getThreads() << " threads per row, "
     << schedule.getVector() << " elements per access, " << kernel.rowsPerBlock
     << (kernel.rowsPerBlock == 1 ? " row" : " rows") << " per block, ";
  if (schedule.getCluster() > 1)
    os << "clusters of " << schedule.getCluster() << " blocks per row\n";
  else
    os << "no cluster\n";
}

static void printPlan(const LoopPlan &loop, raw_ostream &os) {
  os << "    plan: ";
  if (loop.rowsPerIteration == 1)
    os << "row by row, ";
  else if (loop.rowsPerIteration != 0)
    os << loop.rowsPerIteration << " rows per iteration, ";
  os << "strips of " << loop.plan.getLanes() << " elements, then of "
     << loop.plan.getTailLanes();
  if (!loop.plan.getStream())
    os << "; shall not be streamed";
  if (!loop.plan.getPipeline())
    os << "; shall not be pipelined";
  os << '\n';
}

static void printCPUCode(const RowLoop &loop, unsigned threads,
                         raw_ostream &os) {
  if (loop.plan)
    printPlan(*loop.plan, os);
  os << "    vectors: ";
  if (loop.vectors.empty())
    os << "none (scalar)";
  llvm::interleaveComma(loop.vectors, os);
  os << "; stores: "
     << (loop.isStreamed ? "streamed past the cache where the buffers are "
                           "large, apart and aligned, else ordinary"
                         : "ordinary")
     << "; threads: " << (loop.isParallel ? threads : 1) << '\n';
}

static void printTraffic(const Report &report, const RowLoop &loop,
                         raw_ostream &os) {
  os << "    reads ";
  printNames(loop.read, os);
  os << ": " << describeBytes(loop.readBytes) << "; writes ";
  printNames(loop.written, os);
  os << ": " << describeBytes(loop.writtenBytes) << '\n';
  if (!report.hasKernels)
    os << "    ordinary stores first read the lines they write: "
       << describeBytes(loop.writtenBytes) << " more\n";
}

static void printLoop(const Report &report, const RowLoop &loop, size_t number,
                      raw_ostream &os) {
  os << "  " << (report.hasKernels ? "kernel " : "loop ") << number << " at "
     << describeLocation(report, loop.loc);
  if (!loop.sourceLines.empty()) {
    os << ", fused from lines ";
    printLines(loop.sourceLines, os);
  }
  os << '\n';
  if (loop.isCopy)
    os << "    a copy\n";
  else if (loop.schedule)
    printSchedule(*loop.schedule, os);
  else if (report.hasKernels)
    os << "    schedule: a thread per element\n";
  else
    printCPUCode(loop, report.threads, os);
  printTraffic(report, loop, os);
}

static void printRoof(const Report &report, const FunctionReport &function,
                      raw_ostream &os) {
  Volume bytes = function.getBytes();
  os << "  traffic: " << describeBytes(bytes);
  std::string time = describeTime(bytes, report.roof);
  if (!time.empty())
    os << "; roofline: " << time << " at "
       << llvm::format("%.4g GB/s", report.roof.gigabytesPerSecond);
  if (auto intensity = getIntensity(function))
    os << llvm::format("; %.2f operations per byte", *intensity);
  os << '\n';
}

static void printFunction(const Report &report, const FunctionReport &function,
                          raw_ostream &os) {
  os << "\nFunction " << function.name << ": " << function.numLinalgOps
     << " linalg ops in " << function.loops.size()
     << (report.hasKernels ? " kernel" : " loop")
     << (function.loops.size() == 1 ? "" : "s") << '\n';
  for (auto [i, loop] :
       llvm::enumerate(ArrayRef(function.loops).take_front(mostEntries)))
    printLoop(report, loop, i + 1, os);
  if (function.loops.size() > mostEntries)
    os << "  and " << function.loops.size() - mostEntries
       << " more: --report has them all\n";
  printRoof(report, function, os);
}

void norm::printReport(const Report &report, raw_ostream &os) {
  os << report.file << " for " << report.machine << '\n';
  printFindings(report, Finding::Kind::Match, "Recognized", os);
  if (!report.matchedLines.empty()) {
    os << "  in place of lines ";
    printLines(report.matchedLines, os);
    os << '\n';
  }
  printFindings(report, Finding::Kind::Rejection, "Rejected", os);
  if (llvm::any_of(report.findings, [](const Finding &finding) {
        return finding.kind == Finding::Kind::Product;
      }))
    printFindings(report, Finding::Kind::Product, "Products", os);
  for (const FunctionReport &function :
       ArrayRef(report.functions).take_front(mostEntries))
    printFunction(report, function, os);
  if (report.functions.size() > mostEntries)
    os << "and " << report.functions.size() - mostEntries
       << " more functions: --report has them all\n";
  printFindings(report, Finding::Kind::Missed, "Missed", os);
  os << "\nBandwidth: ";
  if (report.roof.gigabytesPerSecond > 0)
    os << llvm::format("%.4g GB/s, ", report.roof.gigabytesPerSecond);
  os << report.roof.bandwidthSource << "; --bandwidth=GB/s for yours\n";
}

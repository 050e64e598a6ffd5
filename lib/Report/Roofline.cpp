//===- Roofline.cpp - the roofline plot as SVG ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;

namespace {
/// Maps logarithmic axes to a drawing of fixed size.
class LogAxes {
public:
  LogAxes(const Roof &roof)
      : top(std::ceil(std::log10(std::max(
            10.0, std::max(roof.gigaflops, roof.gigabytesPerSecond * 100))))) {}

  double x(double intensity) const {
    return left + (std::log10(intensity) - from) / (to - from) * width;
  }
  double y(double gigaflops) const {
    double bottom = top - decades;
    return head + (top - std::log10(gigaflops)) / (top - bottom) * height;
  }
  double getLeast() const { return std::pow(10, top - decades); }

  static constexpr double left = 60, head = 15, width = 560, height = 260;
  static constexpr int from = -2, to = 3, decades = 5;
  double top;
};
} // namespace

static void escape(StringRef text, raw_ostream &os) {
  llvm::printHTMLEscaped(text, os);
}

static void printAxes(const LogAxes &axes, raw_ostream &os) {
  os << llvm::format("<rect x='%.0f' y='%.0f' width='%.0f' height='%.0f' "
                     "class='frame'/>\n",
                     axes.left, axes.head, axes.width, axes.height);
  for (int decade = axes.from; decade <= axes.to; ++decade)
    os << llvm::format("<text x='%.1f' y='%.1f' class='tick'>%g</text>\n",
                       axes.x(std::pow(10, decade)),
                       axes.head + axes.height + 16, std::pow(10, decade));
  for (int i = 0; i <= axes.decades; ++i) {
    double value = std::pow(10, axes.top - i);
    os << llvm::format("<text x='%.1f' y='%.1f' class='tick left'>%g</text>\n",
                       axes.left - 6, axes.y(value) + 4, value);
  }
  os << llvm::format("<text x='%.1f' y='%.1f' class='tick'>operations a "
                     "byte</text>\n",
                     axes.left + axes.width / 2, axes.head + axes.height + 34);
}

/// Returns the attainable GFLOP/s for an intensity.
static double getRoof(const Roof &roof, double intensity) {
  double memory = roof.gigabytesPerSecond * intensity;
  return roof.gigaflops > 0 ? std::min(memory, roof.gigaflops) : memory;
}

static void printRoofLine(const LogAxes &axes, const Roof &roof,
                          raw_ostream &os) {
  os << "<polyline class='roof' points='";
  constexpr int steps = 200;
  for (int i = 0; i <= steps; ++i) {
    double intensity =
        std::pow(10, axes.from + double(axes.to - axes.from) * i / steps);
    double rate = getRoof(roof, intensity);
    if (rate >= axes.getLeast() && std::log10(rate) <= axes.top)
      os << llvm::format("%.1f,%.1f ", axes.x(intensity), axes.y(rate));
  }
  os << "'/>\n";
}

static void printPoint(const LogAxes &axes, const Roof &roof,
                       const FunctionReport &function, raw_ostream &os) {
  std::optional<double> intensity = getIntensity(function);
  if (!intensity)
    return;
  double within =
      std::clamp(*intensity, std::pow(10, axes.from), std::pow(10, axes.to));
  double rate = std::max(getRoof(roof, within), axes.getLeast());
  os << llvm::format("<circle class='point' cx='%.1f' cy='%.1f' r='5'/>\n"
                     "<text class='label' x='%.1f' y='%.1f'>",
                     axes.x(within), axes.y(rate), axes.x(within) + 9,
                     axes.y(rate) + 14);
  escape(function.name, os);
  os << llvm::format(
      ": %.2f operations per byte, at most %.3g GFLOP/s</text>\n", *intensity,
      getRoof(roof, *intensity));
}

void norm::printRoofline(const Report &report, raw_ostream &os) {
  const Roof &roof = report.roof;
  if (roof.gigabytesPerSecond <= 0) {
    os << "<p>No roof: the bandwidth is ";
    escape(roof.bandwidthSource, os);
    os << " (--bandwidth=GB/s)</p>\n";
    return;
  }
  LogAxes axes(roof);
  os << "<svg viewBox='0 0 660 320' role='img' aria-label='roofline'>\n";
  printAxes(axes, os);
  printRoofLine(axes, roof, os);
  for (const FunctionReport &function : report.functions)
    printPoint(axes, roof, function, os);
  os << "</svg>\n<p>GFLOP/s over operations per byte. Memory: "
     << llvm::format("%.4g GB/s (", roof.gigabytesPerSecond);
  escape(roof.bandwidthSource, os);
  os << "). ";
  if (roof.gigaflops > 0)
    os << llvm::format("Arithmetic: %g GFLOP/s (", roof.gigaflops);
  else
    os << "Arithmetic: unknown (";
  escape(roof.peakSource, os);
  os << ").</p>\n";
}

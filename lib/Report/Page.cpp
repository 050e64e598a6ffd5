//===- Page.cpp - a report as one HTML page -------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::norm;

static constexpr char style[] = R"(<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5em; color: #1b1f24;
       background: #fff; }
h1 { font-size: 1.3em; } h2 { font-size: 1.05em; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1em; }
.ir { font: 12px/1.5 ui-monospace, monospace; overflow: auto; max-height: 70vh;
      border: 1px solid #d0d7de; padding: .5em 0; margin: 0; }
.ir div { white-space: pre; padding: 0 .6em; min-height: 1.5em; }
.ir .number { color: #8c959f; display: inline-block; width: 3.5em; }
.ir .matched { background: #dafbe1; }
.ir .rejection { background: #ffebe9; color: #82071e; white-space: pre-wrap; }
.ir .product { background: #ddf4ff; color: #0a3069; white-space: pre-wrap; }
.ir .missed { background: #fff8c5; color: #633c01; white-space: pre-wrap; }
.ir .found { background: #aceebb; color: #0a3d1a; white-space: pre-wrap; }
pre.text { border: 1px solid #d0d7de; padding: .6em; white-space: pre-wrap; }
svg { max-width: 760px; } svg text { font: 11px system-ui, sans-serif; }
.frame { fill: none; stroke: #8c959f; } .roof { fill: none; stroke: #0550ae;
  stroke-width: 2; } .point { fill: #cf222e; } .tick { text-anchor: middle; }
.tick.left { text-anchor: end; }
</style>
)";

/// Escapes text, so that the text of a program never becomes markup.
static void escape(StringRef text, raw_ostream &os) {
  for (char c : text) {
    // HTML allows no control characters except tabs here.
    bool isPrinted = static_cast<unsigned char>(c) >= 0x20 || c == '\t';
    llvm::printHTMLEscaped(isPrinted ? StringRef(&c, 1) : StringRef("?"), os);
  }
}

static std::optional<unsigned> findLine(StringRef file, Location loc) {
  std::optional<unsigned> line;
  loc->walk([&](Location part) {
    line = getSourceLine(file, part);
    return line ? WalkResult::interrupt() : WalkResult::advance();
  });
  return line;
}

static void printLine(size_t number, StringRef text, bool isMatched,
                      raw_ostream &os) {
  os << "<div" << (isMatched ? " class='matched'" : "")
     << "><span class='number'>" << number << "</span>";
  escape(text, os);
  os << "</div>\n";
}

static void printFinding(const Finding &finding, raw_ostream &os) {
  static constexpr StringLiteral names[] = {"found", "rejection", "product",
                                            "missed"};
  os << "<div class='" << names[static_cast<unsigned>(finding.kind)] << "'>";
  escape(finding.text, os);
  os << "</div>\n";
}

static SmallVector<StringRef> splitLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  return lines;
}

/// Prints each decision below the line that it is about.
static void printSource(const Report &report, raw_ostream &os) {
  os << "<section id='source'><h2>Source</h2><div class='ir'>\n";
  for (auto [i, text] : llvm::enumerate(splitLines(report.source))) {
    unsigned number = i + 1;
    printLine(number, text, report.matchedLines.count(number), os);
    for (const Finding &finding : report.findings)
      if (findLine(report.file, finding.loc) == number)
        printFinding(finding, os);
  }
  os << "</div></section>\n";
}

static void printRecognized(const Report &report, raw_ostream &os) {
  os << "<section id='recognized'><h2>Recognized</h2><div class='ir'>\n";
  for (auto [i, text] : llvm::enumerate(splitLines(report.recognized))) {
    unsigned number = i + 1;
    printLine(number, text, report.normLines.count(number), os);
  }
  os << "</div></section>\n";
}

/// Prints findings of front ends' programs, whose lines are in other files.
static void printElsewhere(const Report &report, raw_ostream &os) {
  bool hasTitle = false;
  for (const Finding &finding : report.findings) {
    if (findLine(report.file, finding.loc))
      continue;
    if (!hasTitle)
      os << "<section id='elsewhere' class='ir'><h2>At other places</h2>\n";
    hasTitle = true;
    os << "<div>";
    escape(describeLocation(report, finding.loc), os);
    os << "</div>\n";
    printFinding(finding, os);
  }
  if (hasTitle)
    os << "</section>\n";
}

static void printText(const Report &report, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printReport(report, stream);
  os << "<section id='explanation'><h2>What was compiled</h2>"
        "<pre class='text'>";
  for (StringRef line : splitLines(text)) {
    escape(line, os);
    os << '\n';
  }
  os << "</pre></section>\n";
}

void norm::printReportPage(const Report &report, raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<link rel='icon' href='data:,'>\n<title>norm-compile: ";
  escape(report.file, os);
  os << "</title>\n" << style << "</head>\n<body>\n<h1>";
  escape(report.file, os);
  os << "</h1>\n<div class='columns'>\n";
  printSource(report, os);
  printRecognized(report, os);
  os << "</div>\n";
  printElsewhere(report, os);
  printText(report, os);
  os << "<section id='roofline'><h2>Roofline</h2>\n";
  printRoofline(report, os);
  os << "</section>\n</body>\n</html>\n";
}

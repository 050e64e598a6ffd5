//===- Volume.cpp - bytes and operations that depend on extents -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Report/Report.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::norm;

void Volume::add(const Term &term) {
  if (term.amount == 0)
    return;
  for (Term &known : terms)
    if (known.extents == term.extents) {
      known.amount += term.amount;
      return;
    }
  terms.push_back(term);
}

void Volume::add(const Volume &other) {
  for (const Term &term : other.terms)
    add(term);
}

bool Volume::isStatic() const {
  return llvm::all_of(terms, [](const Term &t) { return t.numDynamic == 0; });
}

double Volume::getStatic() const {
  double sum = 0;
  for (const Term &term : terms)
    if (term.numDynamic == 0)
      sum += term.amount;
  return sum;
}

static unsigned getMostDynamic(const Volume &volume) {
  unsigned most = 0;
  for (const Volume::Term &term : volume.terms)
    most = std::max(most, term.numDynamic);
  return most;
}

double Volume::getLeading() const {
  double sum = 0;
  for (const Term &term : terms)
    if (term.numDynamic == getMostDynamic(*this))
      sum += term.amount;
  return sum;
}

bool Volume::isPerRow() const {
  unsigned most = getMostDynamic(*this);
  return llvm::any_of(
      terms, [&](const Term &t) { return t.numDynamic == most && t.hasRow; });
}

static std::string print(double number, const char *unit) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (number == static_cast<int64_t>(number) && number < 10000)
    os << static_cast<int64_t>(number);
  else
    os << llvm::format(number < 100 ? "%.3g" : "%.0f", number);
  os << ' ' << unit;
  return text;
}

static std::string printBytes(double bytes) {
  if (bytes < 10e3)
    return print(bytes, "B");
  if (bytes < 1e6)
    return print(bytes / 1e3, "kB");
  return bytes < 1e9 ? print(bytes / 1e6, "MB") : print(bytes / 1e9, "GB");
}

static std::string printSeconds(double seconds) {
  if (seconds < 1e-6)
    return print(seconds * 1e9, "ns");
  if (seconds < 1e-3)
    return print(seconds * 1e6, "us");
  return seconds < 1 ? print(seconds * 1e3, "ms") : print(seconds, "s");
}

static const char *getUnit(const Volume &volume) {
  return volume.isPerRow() ? "per row" : "per element";
}

std::string norm::describeBytes(const Volume &volume) {
  if (volume.isStatic())
    return printBytes(volume.getStatic());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << printBytes(volume.getLeading()) << ' ' << getUnit(volume) << " (";
  llvm::interleave(
      volume.terms, os,
      [&](const Volume::Term &term) {
        os << llvm::format("%.0f", term.amount);
        if (!term.extents.empty())
          os << '*' << term.extents;
      },
      " + ");
  os << " B)";
  return text;
}

std::string norm::describeTime(const Volume &bytes, const Roof &roof) {
  if (roof.gigabytesPerSecond <= 0)
    return {};
  double rate = roof.gigabytesPerSecond * 1e9;
  if (bytes.isStatic())
    return printSeconds(bytes.getStatic() / rate);
  return printSeconds(bytes.getLeading() / rate) + " " + getUnit(bytes);
}

Volume FunctionReport::getBytes() const {
  Volume sum;
  for (const RowLoop &loop : loops) {
    sum.add(loop.readBytes);
    sum.add(loop.writtenBytes);
  }
  return sum;
}

std::optional<double> norm::getIntensity(const FunctionReport &function) {
  Volume bytes = function.getBytes();
  double moved = bytes.getLeading();
  double operations = function.operations.getLeading();
  if (moved <= 0 || operations <= 0 ||
      bytes.isStatic() != function.operations.isStatic())
    return std::nullopt;
  return operations / moved;
}

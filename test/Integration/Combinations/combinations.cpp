//===- combinations.cpp - every combination of S1 to S9, against f64 ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   norm-test-combinations cpu|simt|upstream|print [--half=0|1]
//                          [--wrong=ATTRIBUTE] product | rows |
//                          random SEED COUNT
//
// Compiles and runs norm.rmsnorm in every combination of its attributes and
// prints the largest error in ulp by type. Exits 1 past a bound:
//  - every element lies in the interval that the roundings of its spec allow;
//  - it is within 4 ulp of the narrower of C and the result type, bit-equal
//    where that has 16 bits;
//  - unless a last-bit effect of the statistic flips a rounding to fewer bits:
//    a neighbour, at most one element in 1000.
// --wrong leaves one attribute out of the reference; the run must then fail.
//
//===----------------------------------------------------------------------===//

#include "Specs.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "norm/ExecutionEngine/Codegen.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/InitAll.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace norm_test;
using norm::CompiledModule;
using norm::HostTensor;

static FloatType getType(Float type, MLIRContext *context) {
  switch (type) {
  case Float::F16:
    return Float16Type::get(context);
  case Float::BF16:
    return BFloat16Type::get(context);
  case Float::F32:
    return Float32Type::get(context);
  case Float::F64:
    return Float64Type::get(context);
  }
  return {};
}

static std::vector<int64_t> select(const Case &c,
                                   const std::vector<int64_t> &dims) {
  std::vector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(c.shape[dim]);
  return shape;
}

namespace {
struct Options {
  norm::CompileOptions compile;
  bool print = false;
  std::optional<unsigned> half; // of the batches: two runs share the cores
  std::string wrong;
};

struct Totals {
  std::map<std::string, double> maxUlp; // by result type, without neighbours
  int64_t combinations = 0, elements = 0, neighbours = 0, failures = 0;
  double furthest = 0; // neighbour, in ulp of the narrowest rounding

  void fail(const Case &c, size_t element, double actual, Interval expected,
            double error) {
    if (failures++ < 20)
      llvm::outs() << describe(c) << ": element " << element << " is "
                   << llvm::format("%.17g", actual) << ", expected "
                   << llvm::format("%.17g in [%.17g, %.17g], ",
                                   double(expected.value), double(expected.low),
                                   double(expected.high))
                   << error << " ulp\n";
  }
};
} // namespace

constexpr double kWideLimit = 4; // ulp (DESIGN, numbers are gates)

/// Random values that the tensor's type holds, and the same as doubles.
static std::vector<double> fill(HostTensor &tensor, std::mt19937 &random) {
  std::normal_distribution<double> values(0, 1);
  std::vector<double> copy(tensor.getNumElements());
  for (size_t i = 0; i < copy.size(); ++i) {
    tensor.setElement(i, values(random));
    copy[i] = tensor.getElement(i);
  }
  return copy;
}

/// Rows of several sizes, so that epsilon decides some and overflows C in none
/// or all; now and then a row of zeros and one with a NaN (S9).
static std::vector<double> fillRows(const Case &c, HostTensor &tensor,
                                    std::mt19937 &random) {
  static constexpr double kScales[] = {1, 0x1p-5, 0x1p-10, 8};
  std::vector<double> copy = fill(tensor, random);
  std::vector<int64_t> rows = rowOfElement(c);
  unsigned special = random() % 16;
  for (size_t i = 0; i < copy.size(); ++i) {
    double value = copy[i] * kScales[(rows[i] + special) % 4];
    if (special == 1 && rows[i] == 1)
      value = 0;
    if (special == 2 && rows[i] == 0 && (i == 0 || rows[i - 1] != 0))
      value = NAN;
    tensor.setElement(i, value);
    copy[i] = tensor.getElement(i);
  }
  return copy;
}

static bool isInside(double actual, Interval bounds) {
  if (std::isnan(bounds.value))
    return std::isnan(actual);
  return bounds.low <= actual && actual <= bounds.high;
}

/// One result against its reference: its type, the type whose ulp counts, and
/// the narrowest type that anything on the way is rounded to.
static void check(const Case &c, const HostTensor &actual,
                  const std::vector<Interval> &expected, Float type,
                  Float ulpType, Float narrowest, Totals &totals) {
  bool rounds = format(narrowest).precision < format(c.compute).precision ||
                format(narrowest).bytes == 2;
  double &max = totals.maxUlp[format(type).name];
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = actual.getElement(i);
    double error = ulpError(value, expected[i].value, ulpType);
    ++totals.elements;
    bool isNear = error <= (format(ulpType).bytes == 2 ? 0 : kWideLimit);
    if (isNear)
      max = std::max(max, error);
    if (isInside(value, expected[i]) && (isNear || rounds)) {
      if (isNear)
        continue;
      ++totals.neighbours;
      totals.furthest = std::max(totals.furthest,
                                 ulpError(value, expected[i].value, narrowest));
      continue;
    }
    totals.fail(c, i, value, expected[i], error);
  }
}

static LogicalResult runCase(CompiledModule &unit, const std::string &name,
                             const Case &c, unsigned seed,
                             const Options &options, MLIRContext *context,
                             Totals &totals) {
  Spec spec = c;
  if (!options.wrong.empty()) {
    std::optional<Spec> mutated = mutate(c, options.wrong);
    if (!mutated)
      return success();
    spec = *mutated;
  }
  std::mt19937 random(seed);
  HostTensor x(getType(c.type, context), c.shape), w;
  std::vector<double> xs = fillRows(c, x, random), ws;
  SmallVector<HostTensor *> inputs{&x};
  if (c.weightDims) {
    w = HostTensor(getType(c.weightType, context), select(c, *c.weightDims));
    ws = fill(w, random);
    inputs.push_back(&w);
  }
  auto outputs = unit.call(name, inputs);
  if (!outputs) {
    llvm::outs() << llvm::toString(outputs.takeError()) << "\n";
    return failure();
  }
  Result reference = evaluate(spec, xs, ws);
  check(c, (*outputs)[0], reference.y, c.resultType, errorType(c),
        narrowestRounding(c), totals);
  if (c.withInvRms)
    check(c, (*outputs)[1], reference.invRms, c.compute, c.compute, c.compute,
          totals);
  ++totals.combinations;
  return success();
}

static LogicalResult runBatch(ArrayRef<Case> cases, size_t first,
                              const Options &options, MLIRContext *context,
                              Totals &totals) {
  std::string source;
  // Dynamic shapes share functions.
  std::map<std::string, std::string> functions;
  std::vector<std::string> names;
  for (auto [i, c] : llvm::enumerate(cases)) {
    std::string name = "f" + std::to_string(i);
    auto [known, isNew] = functions.try_emplace(printFunction(c, "f"), name);
    if (isNew)
      source += printFunction(c, name);
    names.push_back(known->second);
  }
  auto module = parseSourceString<ModuleOp>(source, context);
  if (!module)
    return failure();
  auto unit = CompiledModule::compile(*module, options.compile);
  if (failed(unit))
    return failure();
  for (auto [i, c] : llvm::enumerate(cases))
    if (failed(
            runCase(**unit, names[i], c, first + i, options, context, totals)))
      return failure();
  return success();
}

static LogicalResult runAll(ArrayRef<Case> cases, const Options &options,
                            MLIRContext *context, Totals &totals) {
  // Small modules keep the passes that look at all functions quick.
  constexpr size_t kBatch = 32;
  for (size_t i = 0; i < cases.size(); i += kBatch)
    if (options.half.value_or(i / kBatch % 2) == i / kBatch % 2 &&
        failed(runBatch(cases.slice(i, std::min(kBatch, cases.size() - i)), i,
                        options, context, totals)))
      return failure();
  return success();
}

static void printSummary(const Totals &totals) {
  for (const auto &[type, ulp] : totals.maxUlp)
    llvm::outs() << type << ": max ulp " << llvm::format("%.3g", ulp) << "\n";
  llvm::outs() << totals.combinations << " combinations, " << totals.elements
               << " elements, " << totals.neighbours
               << " neighbours of a narrow rounding at most "
               << llvm::format("%.3g", totals.furthest) << " ulp away, "
               << totals.failures << " over the bound\n";
}

/// Nothing after a diagnostic on bad arguments.
static std::optional<std::vector<Case>> parseArguments(ArrayRef<char *> words,
                                                       Options &options) {
  std::vector<StringRef> rest;
  for (StringRef word : words) {
    if (word.consume_front("--half="))
      options.half = std::atoi(word.data());
    else if (word.consume_front("--wrong="))
      options.wrong = word;
    else
      rest.push_back(word);
  }
  if (rest.size() >= 2) {
    if (rest[0] == "upstream")
      options.compile.pipeline = norm::CompileOptions::Pipeline::Upstream;
    if (rest[0] == "simt")
      options.compile.pipeline = norm::CompileOptions::Pipeline::SIMT;
    options.print = rest[0] == "print";
    if (rest[1] == "product" && rest.size() == 2)
      return attributeProduct();
    if (rest[1] == "rows" && rest.size() == 2)
      return rowCases();
    if (rest[1] == "random" && rest.size() == 4)
      return randomCases(std::atoi(rest[2].data()), std::atoi(rest[3].data()));
  }
  llvm::errs() << "usage: cpu|simt|upstream|print [--half=0|1] "
                  "[--wrong=ATTRIBUTE] product | rows | random SEED COUNT\n";
  return std::nullopt;
}

int main(int argc, char **argv) {
  Options options;
  auto cases = parseArguments(ArrayRef(argv + 1, argc - 1), options);
  if (!cases)
    return 2;
  if (options.print) {
    for (auto [i, c] : llvm::enumerate(*cases))
      llvm::outs() << printFunction(c, "f" + std::to_string(i));
    return 0;
  }
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  norm::registerAllDialects(registry);
  norm::registerTranslations(registry);
  MLIRContext context(registry);
  Totals totals;
  if (failed(runAll(*cases, options, &context, totals)))
    return 2;
  printSummary(totals);
  bool rare = totals.neighbours * 1000 <= totals.elements;
  return totals.failures == 0 && rare ? 0 : 1;
}

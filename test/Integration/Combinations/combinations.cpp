//===- combinations.cpp - every combination of S1 to S9, against f64 ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   norm-test-combinations cpu|simt|upstream|print [--part=SEED/COUNT]
//                          [--wrong=ATTRIBUTE] product | rows |
//                          random SEED COUNT
//   norm-test-combinations differential [--json=FILE] [--wrong=ATTRIBUTE]
//                          SEED COUNT
//   norm-test-combinations print differential SEED
//
// Compiles and runs norm.rmsnorm in every combination of its attributes and
// prints the largest error in ulp by type. Exits 1 past a bound:
//  - every element lies in the interval that the roundings of its spec allow;
//  - it is within 4 ulp of the narrower of C and the result type, bit-equal
//    where that has 16 bits;
//  - unless a last-bit effect of the statistic flips a rounding to fewer bits:
//    a neighbor, at most one element in 1000.
// --wrong leaves one attribute out of the reference; the run must then fail.
//
// `differential` does so for random norms, one a seed, in random layouts and
// surroundings on each target, with the bounds of docs/Codegen.md.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Compare.h"
#include "Differential.h"
#include "Norms.h"
#include "Specs.h"
#include "mlir/Parser/Parser.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/Testing/Targets.h"
#include "norm/Tools/Driver.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace norm_test;
using norm::CompiledModule;
using norm::HostTensor;

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
  unsigned part = 0, numParts = 1; // of the batches
  std::string wrong, json;
};

struct Totals {
  std::map<std::string, double> maxUlp; // by result type, without neighbors
  int64_t combinations = 0;
  Comparison sum;
  int printed = 0;

  void fail(const Case &c, const Miss &miss) {
    if (printed++ < 20)
      llvm::outs() << describe(c) << ": " << describe(miss) << "\n";
  }
};
} // namespace

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

/// One result against its reference.
static void check(const Case &c, const HostTensor &actual,
                  const std::vector<Interval> &expected, Float type,
                  const Tolerance &tolerance, Totals &totals) {
  // No row of these cases underflows.
  Comparison result = compare([&](size_t i) { return actual.getElement(i); },
                              expected, [](size_t) { return 0; }, tolerance,
                              [&](const Miss &miss) { totals.fail(c, miss); });
  double &max = totals.maxUlp[format(type).name];
  max = std::max(max, result.maxUlp);
  totals.sum.add(result);
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
  check(c, (*outputs)[0], reference.y, c.resultType, getTolerance(c), totals);
  if (c.withInvRms)
    check(c, (*outputs)[1], reference.invRms, c.compute, getInvRmsTolerance(c),
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
    if (i / kBatch % options.numParts == options.part &&
        failed(runBatch(cases.slice(i, std::min(kBatch, cases.size() - i)), i,
                        options, context, totals)))
      return failure();
  return success();
}

static void printSummary(const Totals &totals) {
  for (const auto &[type, ulp] : totals.maxUlp)
    llvm::outs() << type << ": max ulp " << llvm::format("%.3g", ulp) << "\n";
  llvm::outs() << totals.combinations << " combinations, "
               << totals.sum.elements << " elements, " << totals.sum.neighbors
               << " neighbors of a narrow rounding at most "
               << llvm::format("%.3g", totals.sum.furthest) << " ulp away, "
               << totals.sum.failures << " over the bound\n";
}

/// Sets the options among `words`; what is left.
static std::vector<StringRef> parseOptions(ArrayRef<char *> words,
                                           Options &options) {
  std::vector<StringRef> rest;
  for (StringRef word : words) {
    if (word.consume_front("--part=")) {
      auto [seed, count] = word.split('/');
      options.numParts = std::max(1, std::atoi(count.data()));
      options.part = std::atoi(seed.data()) % options.numParts;
    } else if (word.consume_front("--wrong=")) {
      options.wrong = word;
    } else if (word.consume_front("--json=")) {
      options.json = word;
    } else {
      rest.push_back(word);
    }
  }
  return rest;
}

static void setPipeline(StringRef name, Options &options) {
  if (name == "upstream")
    options.compile.target = "upstream";
  if (name == "simt")
    options.compile.target = "simt";
  options.print = name == "print";
}

/// Nothing where `words` name no cases.
static std::optional<std::vector<Case>> makeCases(ArrayRef<StringRef> words) {
  if (words[0] == "product" && words.size() == 1)
    return attributeProduct();
  if (words[0] == "rows" && words.size() == 1)
    return rowCases();
  if (words[0] == "random" && words.size() == 3)
    return randomCases(std::atoi(words[1].data()), std::atoi(words[2].data()));
  return std::nullopt;
}

static int runCases(ArrayRef<Case> cases, const Options &options,
                    MLIRContext *context) {
  Totals totals;
  if (failed(runAll(cases, options, context, totals)))
    return 2;
  printSummary(totals);
  bool rare = totals.sum.neighbors * 1000 <= totals.sum.elements;
  return totals.sum.failures == 0 && rare ? 0 : 1;
}

static void printCases(ArrayRef<Case> cases) {
  for (auto [i, c] : llvm::enumerate(cases))
    llvm::outs() << printFunction(c, "f" + std::to_string(i));
}

static int printUsage() {
  llvm::errs() << "usage: cpu|simt|upstream|print [--part=SEED/COUNT] "
                  "[--wrong=ATTRIBUTE] product | rows | random SEED COUNT\n"
                  "       differential [--json=FILE] [--wrong=ATTRIBUTE] SEED "
                  "COUNT\n"
                  "       print differential SEED\n";
  return 2;
}

int main(int argc, char **argv) {
  Options options;
  std::vector<StringRef> words =
      parseOptions(ArrayRef(argv + 1, argc - 1), options);
  if (words.size() < 2)
    return printUsage();
  norm::registerTestingTargets();
  MLIRContext context(norm::createCompilerRegistry());
  if (words[0] == "differential" && words.size() == 3)
    return runDifferential({unsigned(std::atoi(words[1].data())),
                            unsigned(std::atoi(words[2].data())), options.json,
                            options.wrong},
                           &context)
               ? 0
               : 1;
  setPipeline(words[0], options);
  if (options.print && words[1] == "differential" && words.size() == 3) {
    llvm::outs() << printProgram(randomNorm(std::atoi(words[2].data())));
    return 0;
  }
  auto cases = makeCases(ArrayRef(words).drop_front());
  if (!cases)
    return printUsage();
  if (!options.print)
    return runCases(*cases, options, &context);
  printCases(*cases);
  return 0;
}

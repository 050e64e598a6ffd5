//===- Differential.cpp - random norms on every target --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Differential.h"
#include "Compare.h"
#include "Norms.h"
#include "mlir/Parser/Parser.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/IR/RowTarget.h"
#include "norm/Testing/SIMT/Runtime.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/TargetParser/Host.h"
#include <map>
#include <random>

using namespace mlir;
using namespace norm_test;
using norm::CompiledModule;
using norm::CompileOptions;

namespace {
/// A way to run a norm.
struct Target {
  const char *name;
  const char *target;
  const char *cpu;
  unsigned threads;
  const char *needs; // of this machine; without it code is only compiled
};

constexpr Target kTargets[] = {
    {"x86-64-v2", "cpu", "x86-64-v2", 1, "sse4.2"},
    {"x86-64-v2, 2 threads", "cpu", "x86-64-v2", 2, "sse4.2"},
    {"x86-64-v3", "cpu", "x86-64-v3", 1, "fma"},
    {"x86-64-v3, 2 threads", "cpu", "x86-64-v3", 2, "fma"},
    {"x86-64-v4", "cpu", "x86-64-v4", 1, "avx512vl"},
    {"x86-64-v4, 2 threads", "cpu", "x86-64-v4", 2, "avx512vl"},
    {"simt", "simt", "native", 1, ""}};

/// What a norm gave on one target.
struct Outcome {
  const Target *target = nullptr;
  bool ran = false;
  Comparison y, invRms;
  std::optional<bool> isEqual; // with two threads: the bits of one
  /// Of x86-64-v4: LLVM was given the program that x86-64-v3 was.
  std::optional<bool> isSameProgram;
  std::string error;

  int64_t failures() const { return y.failures + invRms.failures; }
  bool passed() const {
    return error.empty() && failures() == 0 && isEqual.value_or(true);
  }
};

/// Of targets before.
struct Before {
  std::string bytes;   // that one thread gave
  std::string program; // that the passes made for one thread
};

/// The buffers of a norm, filled, and what has to come out.
struct Setup {
  std::vector<Buffer> inputs, outputs;
  Result reference;
  std::vector<int64_t> rows;

  Buffer &output(const Norm &norm) {
    return norm.inPlace ? inputs.front() : outputs.front();
  }
};
} // namespace

static bool isRunHere(const Target &target) {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  StringRef needs = target.needs;
  return needs.empty() || features.lookup(needs);
}

static std::vector<double> fillNormal(Buffer &buffer, std::mt19937 &random) {
  std::normal_distribution<double> values(0, 1);
  std::vector<double> copy;
  for (size_t i = 0; i < buffer.size(); ++i) {
    buffer.set(i, values(random));
    copy.push_back(buffer.get(i));
  }
  return copy;
}

/// a + b as one operation of `type` gives it.
static double addIn(Float type, double a, double b) {
  return type == Float::F64 ? a + b : double(roundTo(a + b, type));
}

/// The program's ops around the norm, on the reference.
static void applyConsumers(const Norm &norm, const std::vector<double> &gate,
                           Result &reference) {
  for (size_t i = 0; i < reference.y.size(); ++i) {
    Interval &y = reference.y[i];
    if (norm.gate)
      y = multiply(y, gate[i], norm.resultType);
    if (norm.quantizedType)
      y = cast(y, norm.resultType, *norm.quantizedType);
  }
}

static Setup setUp(const Norm &norm, const Spec &spec, MLIRContext *context) {
  Setup s;
  std::mt19937 random(norm.seed + 0x9E3779B9u);
  auto select = [&](const std::vector<int64_t> &dims) {
    std::vector<int64_t> shape;
    for (int64_t dim : dims)
      shape.push_back(norm.shape[dim]);
    return shape;
  };
  s.inputs.emplace_back(norm.type, norm.shape, norm.x, context);
  fillInput(norm, s.inputs[0], random());
  std::vector<double> x, h, w, g;
  for (size_t i = 0; i < s.inputs[0].size(); ++i)
    x.push_back(s.inputs[0].get(i));
  if (norm.residual) {
    s.inputs.emplace_back(norm.type, norm.shape, norm.h, context);
    h = fillNormal(s.inputs.back(), random);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = addIn(norm.type, x[i], h[i]);
  }
  if (norm.weightDims) {
    s.inputs.emplace_back(norm.weightType, select(*norm.weightDims), norm.w,
                          context);
    w = fillNormal(s.inputs.back(), random);
    if (norm.onePlusWeight)
      for (double &value : w)
        value = addIn(norm.weightType, 1, value);
  }
  if (norm.gate) {
    s.inputs.emplace_back(norm.resultType, norm.shape, norm.g, context);
    g = fillNormal(s.inputs.back(), random);
  }
  s.outputs.emplace_back(norm.outputType(), norm.shape, norm.y, context);
  if (norm.withInvRms)
    s.outputs.emplace_back(norm.compute, select(batchDims(norm)), norm.r,
                           context);
  for (std::vector<Buffer> *buffers : {&s.inputs, &s.outputs})
    for (Buffer &buffer : *buffers)
      buffer.keep();
  s.reference = evaluate(spec, x, w);
  applyConsumers(norm, g, s.reference);
  s.rows = rowOfElement(norm);
  return s;
}

/// Sums over the last dimension are trees; over others they are made one after
/// another, and each addition may take half an ulp (docs/Codegen.md).
static double getSumLimit(const Norm &norm) {
  int64_t additions = 1, last = norm.shape.size() - 1;
  for (int64_t d : norm.dims)
    additions *= norm.shape[d];
  return norm.dims[0] == last ? 0 : additions / 2.0;
}

/// Of inv_rms.
static Tolerance getRootTolerance(const Norm &norm) {
  Tolerance t = getInvRmsTolerance(norm);
  if (t.limit > 0)
    t.limit += getSumLimit(norm);
  return t;
}

/// Of y behind the program's consumers.
static Tolerance getTolerance(const Norm &norm) {
  Tolerance t = getTolerance(static_cast<const Spec &>(norm));
  auto narrow = [](Float type) { return format(type).bytes <= 2; };
  if (t.limit > 0)
    t.limit += getSumLimit(norm);
  if (norm.gate) {
    // The product is one rounding more; of exact factors it is the only one.
    if (narrow(t.ulpType) || narrow(norm.resultType))
      t.ulpType = norm.resultType;
    t.limit = narrow(t.ulpType) ? 0 : kWideLimit + getSumLimit(norm) + 1;
  }
  if (norm.quantizedType) {
    t.ulpType = t.narrowest = *norm.quantizedType;
    t.limit = 0;
    t.rounds = true;
  }
  return t;
}

/// Calls the function on the setup's buffers; an error's text.
static std::string call(CompiledModule &unit, const Norm &norm, Setup &s) {
  auto entry = unit.lookup("norm");
  if (!entry)
    return llvm::toString(entry.takeError());
  for (std::vector<Buffer> *buffers : {&s.inputs, &s.outputs})
    for (Buffer &buffer : *buffers)
      buffer.restore();
  std::vector<void *> arguments;
  for (Buffer &buffer : s.inputs)
    arguments.push_back(buffer.describe());
  for (Buffer &buffer : s.outputs)
    arguments.push_back(buffer.describe());
  if (norm.inPlace)
    arguments[s.inputs.size()] = s.inputs[0].describe();
  (*entry)(arguments.data());
  if (const char *message = norm::simt::takeError())
    return message;
  for (auto [i, input] : llvm::enumerate(s.inputs))
    if (norm.inPlace && i == 0 ? !input.areGuardsAsKept() : !input.isAsKept())
      return "input " + std::to_string(i) + " was written";
  for (const Buffer &output : s.outputs)
    if (!output.areGuardsAsKept())
      return "memory beside an output was written";
  return {};
}

static void compareOutputs(const Norm &norm, Setup &s, Outcome &outcome) {
  auto report = [](const char *what) {
    return [what, printed = 0](const Miss &miss) mutable {
      if (printed++ < 3)
        llvm::outs() << "  " << what << " " << describe(miss) << "\n";
    };
  };
  Buffer &y = s.output(norm);
  auto missY = report("y"), missR = report("inv_rms");
  outcome.y =
      compare([&](size_t i) { return y.get(i); }, s.reference.y,
              [&](size_t i) { return s.reference.underflow[s.rows[i]]; },
              getTolerance(norm), missY);
  if (norm.withInvRms)
    outcome.invRms = compare([&](size_t i) { return s.outputs.back().get(i); },
                             s.reference.invRms,
                             [&](size_t i) { return s.reference.underflow[i]; },
                             getRootTolerance(norm), missR);
}

static std::string outputBytes(const Norm &norm, Setup &s) {
  std::string bytes = s.output(norm).bytes();
  if (norm.withInvRms)
    bytes += s.outputs.back().bytes();
  return bytes;
}

static CompileOptions getOptions(const Target &target, const Norm &norm) {
  CompileOptions options;
  options.target = target.target;
  options.machine.cpu = target.cpu;
  options.threads = target.threads;
  options.cacheBytes = norm.cacheBytes;
  // As many threads as asked for, on the smallest of norms.
  options.grain = 1;
  return options;
}

/// One norm on one target.
static Outcome runOn(const Target &target, const Norm &norm, ModuleOp module,
                     Setup &s, Before &before) {
  llvm::PrettyStackTraceFormat trace("norm-test-combinations differential %u 1 "
                                     "on %s",
                                     norm.seed, target.name);
  Outcome outcome;
  outcome.target = &target;
  CompileOptions options = getOptions(target, norm);
  std::string program;
  options.runner = [&](PassManager &pm, ModuleOp compiled) {
    LogicalResult result = pm.run(compiled);
    if (target.threads == 1)
      llvm::raw_string_ostream(program) << compiled;
    return result;
  };
  auto unit = CompiledModule::compile(module, options);
  if (failed(unit)) {
    outcome.error = "does not compile";
    return outcome;
  }
  if (StringRef(target.name) == "x86-64-v4")
    outcome.isSameProgram = program == before.program;
  if (!program.empty())
    before.program = std::move(program);
  if (!isRunHere(target))
    return outcome;
  outcome.ran = true;
  outcome.error = call(**unit, norm, s);
  if (!outcome.error.empty())
    return outcome;
  compareOutputs(norm, s, outcome);
  std::string bytes = outputBytes(norm, s);
  if (target.threads > 1)
    outcome.isEqual = bytes == before.bytes;
  before.bytes = std::move(bytes);
  return outcome;
}

static void printFailure(const Norm &norm, const Outcome &outcome) {
  llvm::outs() << "seed " << norm.seed << " on " << outcome.target->name
               << ": ";
  if (!outcome.error.empty())
    llvm::outs() << outcome.error;
  else if (outcome.failures())
    llvm::outs() << outcome.failures() << " elements over the bound";
  else
    llvm::outs() << "two threads give other bits than one";
  llvm::outs() << "\n  " << describeNorm(norm)
               << "\n  norm-test-combinations differential " << norm.seed
               << " 1\n";
  llvm::outs().flush();
}

/// One line of JSON a norm.
static void writeRecord(llvm::raw_ostream &os, const Norm &norm,
                        ArrayRef<Outcome> outcomes) {
  llvm::json::OStream json(os);
  int64_t n = 1;
  for (int64_t d : norm.dims)
    n *= norm.shape[d];
  json.object([&] {
    json.attribute("seed", norm.seed);
    json.attribute("norm", describeNorm(norm));
    json.attribute("type", format(norm.type).name);
    json.attribute("compute", format(norm.compute).name);
    json.attribute("result", format(norm.outputType()).name);
    json.attribute("ulp_of", format(getTolerance(norm).ulpType).name);
    json.attribute("one_by_one", getSumLimit(norm) > 0);
    json.attribute("limit", getTolerance(norm).limit);
    json.attribute("n", norm.count.value_or(n));
    json.attributeObject("targets", [&] {
      for (const Outcome &outcome : outcomes)
        json.attributeObject(outcome.target->name, [&] {
          json.attribute("ran", outcome.ran);
          json.attribute("passed", outcome.passed());
          if (outcome.isEqual)
            json.attribute("same_bits", *outcome.isEqual);
          if (outcome.isSameProgram)
            json.attribute("same_program", *outcome.isSameProgram);
          json.attribute("max_ulp", outcome.y.maxUlp);
          json.attribute("inv_rms_max_ulp", outcome.invRms.maxUlp);
          json.attribute("elements", outcome.y.elements);
          json.attribute("neighbors", outcome.y.neighbors);
          json.attribute("furthest", outcome.y.furthest);
          json.attribute("underflowed", outcome.y.underflowed);
        });
    });
  });
  os << "\n";
  os.flush();
}

namespace {
/// Sums over all norms.
struct Summary {
  std::map<std::string, double> maxUlp; // by the type that counts ulp
  Comparison y;
  int64_t norms = 0, runs = 0, compiled = 0, sameBits = 0, failed = 0;

  void add(const Norm &norm, const Outcome &outcome) {
    double &max = maxUlp[format(::getTolerance(norm).ulpType).name];
    max = std::max(max, outcome.y.maxUlp);
    y.add(outcome.y);
    y.add(outcome.invRms);
    (outcome.ran ? runs : compiled) += 1;
    sameBits += outcome.isEqual.value_or(false);
    failed += !outcome.passed();
  }

  void print() const {
    for (const auto &[type, ulp] : maxUlp)
      llvm::outs() << type << ": max ulp " << llvm::format("%.3g", ulp) << "\n";
    llvm::outs() << norms << " norms, " << runs << " runs, " << compiled
                 << " compiled and not run, " << sameBits
                 << " of two threads with the bits of one\n"
                 << y.elements << " elements, " << y.neighbors
                 << " neighbors of a narrow rounding at most "
                 << llvm::format("%.3g", y.furthest) << " ulp away, "
                 << y.underflowed << " in rows that underflow, " << failed
                 << " runs failed\n";
  }
};
} // namespace

static void runNorm(unsigned seed, const DifferentialOptions &options,
                    MLIRContext *context, llvm::raw_ostream *records,
                    Summary &summary) {
  Norm norm = randomNorm(seed);
  Spec spec = norm;
  if (!options.wrong.empty()) {
    std::optional<Spec> mutated = mutate(norm, options.wrong);
    if (!mutated)
      return;
    spec = *mutated;
  }
  auto module = parseSourceString<ModuleOp>(printProgram(norm), context);
  if (!module) {
    llvm::outs() << "seed " << seed << " does not parse\n";
    ++summary.failed;
    return;
  }
  // The numbers that norm-compile chooses by the CPU: each CPU has code with
  // either, so that what one of them runs is tested for all.
  Builder b(context);
  bool isEven = seed % 2 == 0;
  NamedAttrList numbers;
  numbers.set("live_lanes", b.getI64IntegerAttr(isEven ? 192 : 384));
  numbers.set("product_lanes", b.getI64IntegerAttr(isEven ? 64 : 16));
  (*module)->setAttr(norm::rowTargetAttrName, numbers.getDictionary(context));
  Setup s = setUp(norm, spec, context);
  std::vector<Outcome> outcomes;
  Before before;
  for (const Target &target : kTargets) {
    // Compiled code is looked at once.
    if (!isRunHere(target) && target.threads > 1)
      continue;
    outcomes.push_back(runOn(target, norm, *module, s, before));
    summary.add(norm, outcomes.back());
    if (!outcomes.back().passed())
      printFailure(norm, outcomes.back());
  }
  ++summary.norms;
  if (records)
    writeRecord(*records, norm, outcomes);
}

bool norm_test::runDifferential(const DifferentialOptions &options,
                                MLIRContext *context) {
  std::unique_ptr<llvm::raw_fd_ostream> records;
  if (!options.json.empty()) {
    std::error_code error;
    records = std::make_unique<llvm::raw_fd_ostream>(options.json, error,
                                                     llvm::sys::fs::OF_Append);
    if (error) {
      llvm::errs() << options.json << ": " << error.message() << "\n";
      return false;
    }
  }
  Summary summary;
  for (unsigned i = 0; i < options.count; ++i)
    runNorm(options.first + i, options, context, records.get(), summary);
  summary.print();
  bool rare = summary.y.neighbors * 1000 <= summary.y.elements;
  if (!rare)
    llvm::outs() << "too many neighbors\n";
  return summary.failed == 0 && rare;
}

//===- Check.cpp - one program by both pipelines --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Agreement.h"
#include "Inputs.h"
#include "Instrument.h"
#include "Noise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/Passes.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/Testing/Numpy.h"
#include "norm/Testing/Targets.h"
#include "norm/Tools/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <map>
#include <set>
#include <sys/time.h>

using namespace mlir;
using namespace norm_test;
using norm::CompiledModule;
using norm::CompileOptions;
using norm::HostTensor;
using Tensors = SmallVector<HostTensor>;

/// Runs with noise for each input, and of programs that take long.
constexpr unsigned kNoiseRuns = 6, kFewNoiseRuns = 3;
/// Seconds of one call of the reference.
constexpr double kSlowCall = 0.02, kSlowerCall = 0.3, kTooSlowCall = 4;
/// Iterations of one static loop nest that the reference is not tried with, and
/// elements of a result that the emulation of a GPU is.
constexpr double kTooManyIterations = 5e8;
constexpr int64_t kMostEmulatedElements = 1 << 16;
constexpr unsigned kCallSeconds = 30;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static sigjmp_buf recovery;

constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGPROF};

/// Of the process's own time: how busy the machine is does not matter. 0 stops.
static void startTimer(unsigned seconds) {
  itimerval value{};
  value.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &value, nullptr);
}

static double getSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

static void recover(int signal) { siglongjmp(recovery, signal); }

/// Calls `function`; empty where the program ends with an assertion, a signal
/// or an error, which `problem` tells.
static std::optional<Tensors> callSafely(CompiledModule &unit,
                                         StringRef function, Tensors &inputs,
                                         std::string &problem) {
  SmallVector<HostTensor *> addresses;
  for (HostTensor &input : inputs)
    addresses.push_back(&input);
  for (int signal : kSignals)
    std::signal(signal, recover);
  if (int signal = sigsetjmp(recovery, /*savesigs=*/1)) {
    startTimer(0);
    problem = strsignal(signal);
    return std::nullopt;
  }
  startTimer(kCallSeconds);
  auto results = unit.call(function, addresses);
  startTimer(0);
  for (int signal : kSignals)
    std::signal(signal, SIG_DFL);
  if (results)
    return std::move(*results);
  problem = llvm::toString(results.takeError());
  return std::nullopt;
}

static Tensors copy(ArrayRef<HostTensor> tensors) {
  Tensors copies;
  for (const HostTensor &tensor : tensors) {
    copies.emplace_back(tensor.getElementType(), tensor.getShape());
    std::memcpy(copies.back().getData(), tensor.getData(),
                tensor.getNumBytes());
  }
  return copies;
}

/// Called with copies: a program that writes its inputs is found.
static std::optional<Tensors> callOnCopy(CompiledModule &unit,
                                         StringRef function,
                                         ArrayRef<HostTensor> inputs,
                                         std::string &problem) {
  Tensors copies = copy(inputs);
  auto results = callSafely(unit, function, copies, problem);
  if (!results)
    return results;
  for (auto [i, input] : llvm::enumerate(inputs))
    if (std::memcmp(input.getData(), copies[i].getData(),
                    input.getNumBytes()) != 0) {
      problem = "writes its input " + std::to_string(i);
      return std::nullopt;
    }
  return results;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::optional<std::string> findUnsupported(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  unsigned scalarResults = 0;
  for (Type t : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (!(isa<RankedTensorType>(t) || t.isIntOrIndexOrFloat()) ||
        !HostTensor::isSupported(getElementTypeOrSelf(t)))
      return "type " + debugString(t);
  for (Type t : type.getResults())
    scalarResults += !isa<RankedTensorType>(t);
  if (type.getNumResults() == 0)
    return "no result";
  if (scalarResults > 1)
    return "several scalar results";
  for (Type t : type.getInputs())
    if (auto tensor = dyn_cast<RankedTensorType>(t))
      if (tensor.hasStaticShape() && tensor.getNumElements() > (1 << 24))
        return "a tensor of over 2^24 elements";
  return std::nullopt;
}

/// Of the largest static loop nest.
static double countIterations(ModuleOp module) {
  double most = 0;
  module.walk([&](linalg::LinalgOp op) {
    double iterations = 1;
    for (int64_t range : op.getStaticLoopRanges())
      iterations *= ShapedType::isDynamic(range) ? 7 : range;
    most = std::max(most, iterations);
  });
  return most;
}

/// Leaves the functions of `keep` public, and nothing that they do not use.
static LogicalResult isolate(ModuleOp module,
                             const std::set<std::string> &keep) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !keep.count(function.getName().str()))
      function.setPrivate();
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

static bool isDynamic(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool dynamic = llvm::any_of(op->getOperandTypes(), [](Type type) {
          auto shaped = dyn_cast<ShapedType>(type);
          return shaped && shaped.hasRank() && !shaped.hasStaticShape();
        });
        return dynamic || isa<tensor::ExtractOp>(op) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether integers of tensors select elements somewhere.
static bool hasIndices(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool isIndex =
            (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
             getElementTypeOrSelf(op->getResult(0).getType()).isIndex()) ||
            isa<tensor::GatherOp, tensor::ScatterOp>(op);
        return isIndex ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Flags that make special values undefined and order free.
static bool hasFastMath(ModuleOp module) {
  return module
      .walk([](arith::ArithFastMathInterface op) {
        arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
        return flags && flags.getValue() != arith::FastMathFlags::none
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
/// One call of the reference and what it allows others.
struct Expectation {
  Expectation() = default;
  Expectation(Expectation &&) = default;

  std::string name;
  Tensors inputs;
  std::vector<Reference> exact; ///< sums in another order
  std::vector<Reference> loose; ///< what recognition may do under `default`
  bool isStored = false;
  /// The cube of the root, or products of a gradient, overflow or underflow.
  bool leavesRange = false;
};

class Checker {
public:
  Checker(const Program &program, const CheckOptions &options,
          llvm::raw_ostream &os)
      : program(program), options(options), os(os),
        context(norm::createCompilerRegistry()),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              message.empty())
            message = diagnostic.str();
        }) {
    context.disableMultithreading();
    context.printOpOnDiagnostic(false);
  }

  bool run();

private:
  bool findFunctions();
  std::unique_ptr<CompiledModule>
  compile(ModuleOp source, StringRef target,
          norm::Rounding rounding = norm::Rounding::Default);
  std::unique_ptr<CompiledModule> compileReference();
  bool isTried(const InputSet &set, FunctionType type, bool isFirst);
  void expect(StringRef function);
  bool expect(StringRef function, Extents extents, bool isFirst);
  bool expect(StringRef function, Expectation expectation);
  std::vector<Reference> disturb(StringRef function,
                                 const Expectation &expectation,
                                 ArrayRef<HostTensor> results, int32_t kinds,
                                 bool &ok);
  void expectStored(StringRef function);
  bool runReference(bool &done);
  bool runOurs(StringRef mode);
  void judge(StringRef mode, CompiledModule &unit, bool isExact);
  void judgeFunction(StringRef mode, CompiledModule &unit, bool isExact,
                     StringRef function);
  std::string judgeCall(CompiledModule &unit, bool isExact, StringRef function,
                        const Expectation &expectation);
  std::string compareWithStored(ArrayRef<HostTensor> results,
                                const Expectation &expectation);
  void makeWrong(HostTensor &result);
  std::string save(StringRef function, StringRef mode,
                   const Expectation &expectation);

  void phase(StringRef name) { line({"phase", name}); }
  void line(std::initializer_list<StringRef> fields) {
    std::string text = llvm::join(fields, "\t");
    llvm::replace(text, '\n', ' ');
    os << text << "\n";
    os.flush();
  }

  const Program &program;
  const CheckOptions &options;
  llvm::raw_ostream &os;
  MLIRContext context;
  std::string message; ///< of the first error
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  std::set<std::string> functions;
  std::unique_ptr<CompiledModule> reference;
  bool indices = false, fastMath = false;
  Recognized recognized;
  double callSeconds = 0;
  std::map<std::string, std::vector<Expectation>> expectations;
};
} // namespace

/// False where there is nothing to do.
bool Checker::findFunctions() {
  module = parseSourceString<ModuleOp>(program.text, &context);
  if (!module) {
    line({"skip", "", "does not parse or verify"});
    return false;
  }
  bool any = false;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    any = true;
    if (!options.function.empty() && function.getName() != options.function)
      continue;
    std::optional<std::string> problem = findUnsupported(function);
    if (problem) {
      line({"skip", function.getName(), *problem});
      continue;
    }
    functions.insert(function.getName().str());
    line({"function", function.getName()});
  }
  if (!any)
    line({"skip", "", "no public function"});
  if (functions.empty())
    return false;
  if (failed(isolate(*module, functions)))
    return false;
  indices = hasIndices(*module);
  fastMath = hasFastMath(*module);
  return true;
}

std::unique_ptr<CompiledModule>
Checker::compile(ModuleOp source, StringRef target, norm::Rounding rounding) {
  CompileOptions compileOptions;
  compileOptions.target = target.str();
  compileOptions.rounding = rounding;
  compileOptions.machine.cpu = options.cpu;
  message.clear();
  auto unit = CompiledModule::compile(source, compileOptions);
  return failed(unit) ? nullptr : std::move(*unit);
}

std::unique_ptr<CompiledModule> Checker::compileReference() {
  bool verify = isDynamic(*module);
  for (bool withChecks : {true, false}) {
    if (withChecks && !verify)
      continue;
    OwningOpRef<ModuleOp> copy(module->clone());
    message.clear();
    if (failed(instrument(*copy, withChecks)))
      continue;
    if (auto unit = compile(*copy, "upstream"))
      return unit;
  }
  return nullptr;
}

std::vector<Reference> Checker::disturb(StringRef function,
                                        const Expectation &expectation,
                                        ArrayRef<HostTensor> results,
                                        int32_t kinds, bool &ok) {
  std::vector<Reference> references;
  for (HostTensor &result : copy(results))
    references.emplace_back(std::move(result));
  unsigned runs = callSeconds > kSlowCall ? kFewNoiseRuns : kNoiseRuns;
  for (unsigned seed = 1; seed <= runs && ok; ++seed) {
    std::string problem;
    startNoise(kinds, seed);
    auto moved = callOnCopy(*reference, function, expectation.inputs, problem);
    stopNoise();
    ok = moved && llvm::all_of(llvm::zip(*moved, references), [](auto pair) {
           return std::get<0>(pair).getShape() ==
                  std::get<1>(pair).value.getShape();
         });
    for (size_t i = 0; ok && i < references.size(); ++i) {
      references[i].addRun((*moved)[i]);
      references[i].isDisturbed |= noise.disturbed > 0;
    }
  }
  return references;
}

/// Whether the reference returns for the expectation's inputs.
bool Checker::expect(StringRef function, Expectation expectation) {
  std::string problem;
  double start = getSeconds();
  auto results = callOnCopy(*reference, function, expectation.inputs, problem);
  callSeconds = getSeconds() - start;
  if (!results)
    return false;
  bool ok = true;
  int32_t kinds =
      fastMath ? Reordered | Function | Rewritten : Reordered | Function;
  expectation.exact = disturb(function, expectation, *results, kinds, ok);
  if (recognized.any() || expectation.isStored)
    expectation.loose = disturb(function, expectation, *results,
                                Reordered | Function | Rewritten, ok);
  // The sums of a gradient's terms: docs/Recognition.md, "The backward pass".
  if (recognized.gradients > 0)
    for (Reference &result : expectation.loose)
      result.zeros = Zeros::AnySign;
  if (ok)
    expectations[function.str()].push_back(std::move(expectation));
  return ok;
}

void Checker::expectStored(StringRef function) {
  FunctionType type = reference->getFunctionType(function);
  if (program.inputs.empty() || program.inputs.size() != type.getNumInputs())
    return;
  Tensors inputs;
  for (auto [file, inputType] : llvm::zip(program.inputs, type.getInputs())) {
    auto shaped = dyn_cast<RankedTensorType>(inputType);
    auto tensor = norm::loadNumpy(
        file, shaped ? shaped : RankedTensorType::get({}, inputType));
    if (!tensor)
      return llvm::consumeError(tensor.takeError());
    inputs.push_back(std::move(*tensor));
  }
  Expectation expectation;
  expectation.name = "stored";
  expectation.inputs = std::move(inputs);
  expectation.isStored = true;
  expect(function, std::move(expectation));
}

/// Which of kAllValues and of one argument alone `extents` are tried with: the
/// first extents that the function takes with everything, the others and
/// programs that take long with some.
bool Checker::isTried(const InputSet &set, FunctionType type, bool isFirst) {
  bool isOrdinary = set.values == Values::Ordinary;
  if (fastMath)
    return isOrdinary && !set.onlyFirst;
  if (set.onlyFirst)
    return isFirst && !isOrdinary && type.getNumInputs() > 1 &&
           callSeconds < kSlowCall;
  return isOrdinary || set.values == Values::Mixed ||
         (callSeconds < kSlowerCall &&
          (isFirst || set.values == Values::Zeros));
}

/// Whether the function takes `extents`.
bool Checker::expect(StringRef function, Extents extents, bool isFirst) {
  FunctionType type = reference->getFunctionType(function);
  for (Values values : kAllValues)
    for (bool onlyFirst : {false, true}) {
      InputSet set{values, extents, onlyFirst};
      if (!isTried(set, type, isFirst))
        continue;
      std::mt19937 random(static_cast<unsigned>(values) * 8 +
                          static_cast<unsigned>(extents) + 64 * onlyFirst);
      Expectation expectation;
      expectation.name = set.getName();
      expectation.leavesRange =
          values == Values::Huge || values == Values::Small;
      for (auto [i, t] : llvm::enumerate(type.getInputs()))
        expectation.inputs.push_back(
            makeInput(t, set, i == 0 || !onlyFirst, indices, random));
      if (!expect(function, std::move(expectation)) &&
          values == Values::Ordinary)
        return false;
      if (callSeconds > kTooSlowCall)
        return true;
    }
  return true;
}

/// Calls the reference on all that the function can be called with.
void Checker::expect(StringRef function) {
  expectStored(function);
  FunctionType type = reference->getFunctionType(function);
  bool isDynamic = llvm::any_of(type.getInputs(), [](Type t) {
    auto tensor = dyn_cast<RankedTensorType>(t);
    return (tensor && !tensor.hasStaticShape()) ||
           (!tensor && t.isIntOrIndex());
  });
  bool isFirst = true;
  for (Extents extents : kAllExtents) {
    if (expect(function, extents, isFirst))
      isFirst = false;
    if (!isDynamic || callSeconds > kTooSlowCall)
      return;
  }
}

/// For a test that the comparison can fail.
void Checker::makeWrong(HostTensor &result) {
  int64_t last = result.getNumElements() - 1;
  if (last < 0)
    return;
  double value = result.getElement(last);
  if (options.wrong == "number")
    result.setElement(last, value + std::fabs(value) / 1024);
  if (options.wrong == "zero" && value == 0)
    result.setElement(last, -value);
  if (options.wrong == "nan" && std::isnan(value))
    result.setElement(last, 0);
  if (options.wrong == "infinity" && std::isinf(value))
    result.setElement(last, -value);
}

std::string Checker::compareWithStored(ArrayRef<HostTensor> results,
                                       const Expectation &expectation) {
  if (!expectation.isStored || program.expected.size() != results.size())
    return "";
  for (auto [i, file] : llvm::enumerate(program.expected)) {
    auto expected = norm::loadNumpy(
        file, RankedTensorType::get(results[i].getShape(),
                                    results[i].getElementType()));
    if (!expected) {
      llvm::consumeError(expected.takeError());
      continue;
    }
    std::string text =
        describeDistance(results[i], *expected, expectation.loose[i]);
    if (!text.empty())
      return "result " + std::to_string(i) + " is not the stored one: " + text;
  }
  return "";
}

/// Empty where the call agrees with the reference.
std::string Checker::judgeCall(CompiledModule &unit, bool isExact,
                               StringRef function,
                               const Expectation &expectation) {
  std::string problem;
  auto results = callOnCopy(unit, function, expectation.inputs, problem);
  if (!results)
    return problem;
  const std::vector<Reference> &references =
      isExact || expectation.loose.empty() || !recognized.any()
          ? expectation.exact
          : expectation.loose;
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (result.getShape() != references[i].value.getShape())
      return "result " + std::to_string(i) + " is " +
             HostTensor::getText(result.getShape()) + ", expected " +
             HostTensor::getText(references[i].value.getShape());
    makeWrong(result);
    std::string text = describeDisagreement(result, references[i]);
    if (!text.empty())
      return "result " + std::to_string(i) + ": " + text;
  }
  return compareWithStored(*results, expectation);
}

/// Writes the program, its inputs and the reference's results for norm-run, and
/// gives the command.
std::string Checker::save(StringRef function, StringRef mode,
                          const Expectation &expectation) {
  if (options.save.empty())
    return "";
  std::string name = llvm::sys::path::stem(program.path).str();
  llvm::replace(name, '#', '-');
  std::string stem = options.save + "/" + name + "." + function.str();
  llvm::sys::fs::create_directories(options.save);
  std::error_code error;
  llvm::raw_fd_ostream file(stem + ".mlir", error);
  OwningOpRef<ModuleOp> copy(module->clone());
  if (succeeded(isolate(*copy, {function.str()})))
    file << *copy << "\n";
  std::string command = "norm-run " + stem +
                        ".mlir --function=" + function.str() +
                        (mode == "simt"        ? " --pipeline=simt"
                         : mode == "cpu-exact" ? " --rounding=exact"
                                               : "");
  auto add = [&](StringRef option, const Twine &suffix,
                 const HostTensor &tensor) {
    std::string path = (stem + suffix + ".npy").str();
    llvm::consumeError(norm::saveNumpy(path, tensor));
    command += (" --" + option + "=@" + path).str();
  };
  for (auto [i, input] : llvm::enumerate(expectation.inputs))
    add("input", ".in" + Twine(i), input);
  for (auto [i, result] : llvm::enumerate(expectation.exact))
    add("expected-output", ".out" + Twine(i), result.value);
  return "; " + command;
}

void Checker::judgeFunction(StringRef mode, CompiledModule &unit, bool isExact,
                            StringRef function) {
  std::string first;
  const Expectation *firstWrong = nullptr;
  unsigned agreed = 0, wrong = 0;
  for (const Expectation &expectation : expectations[function.str()]) {
    int64_t elements = 0;
    for (const Reference &result : expectation.exact)
      elements += result.value.getNumElements();
    if (mode == "simt" && elements > kMostEmulatedElements)
      continue;
    // Outside the bound of `default` for gradients; `exact` is held to it.
    if (!isExact && recognized.gradients > 0 && expectation.leavesRange)
      continue;
    std::string text = judgeCall(unit, isExact, function, expectation);
    if (text.empty()) {
      ++agreed;
      continue;
    }
    if (wrong++ == 0) {
      first = text;
      firstWrong = &expectation;
    }
  }
  line({"run", mode, std::to_string(agreed + wrong)});
  if (wrong > 0)
    line({"fail", function, mode, firstWrong->name,
          first + " (" + std::to_string(wrong) + " of " +
              std::to_string(agreed + wrong) + " inputs)" +
              save(function, mode, *firstWrong)});
}

void Checker::judge(StringRef mode, CompiledModule &unit, bool isExact) {
  phase(mode.str() + " runs");
  for (const std::string &function : functions)
    judgeFunction(mode, unit, isExact, function);
}

/// Whether there is something that others can be compared with; otherwise
/// `done` says whether that is all there is to say.
bool Checker::runReference(bool &done) {
  const std::string &only = *functions.begin();
  done = functions.size() == 1;
  phase(kReferencePhase);
  if (countIterations(*module) > kTooManyIterations) {
    if (done)
      line({"skip", only, "a loop nest of over 5e8 iterations"});
    return false;
  }
  reference = compileReference();
  if (!reference) {
    if (done)
      line({"skip", only, "upstream rejects: " + message});
    return false;
  }
  phase("recognition");
  recognized = countRecognized(*module, norm::Rounding::Default);
  phase(kReferencePhase);
  for (const std::string &function : functions) {
    callSeconds = 0;
    expect(function);
    if (callSeconds > kTooSlowCall)
      line({"skip", function, "upstream's code is too slow"});
    else if (expectations[function].empty())
      line({"skip", function, "no extents found that it takes"});
  }
  return true;
}

/// False where our pipeline rejects a module of several functions.
bool Checker::runOurs(StringRef mode) {
  phase(mode);
  bool isExact = fastMath || mode == "cpu-exact";
  auto unit = compile(*module, mode == "simt" ? "simt" : "cpu",
                      mode == "cpu-exact" ? norm::Rounding::Exact
                                          : norm::Rounding::Default);
  if (unit) {
    judge(mode, *unit, isExact);
    return true;
  }
  if (functions.size() > 1)
    return false;
  // Not all programs have kernels.
  if (mode == "simt")
    line({"reject", *functions.begin(), mode, message});
  else
    line({"fail", *functions.begin(), mode, "compilation",
          "rejected: " + message});
  return true;
}

bool Checker::run() {
  phase("parse");
  bool done = true;
  if (!findFunctions() || !runReference(done))
    return done;
  return runOurs("cpu") && (!recognized.any() || runOurs("cpu-exact")) &&
         (!options.simt || runOurs("simt"));
}

bool norm_test::check(const Program &program, const CheckOptions &options,
                      raw_ostream &os) {
  return Checker(program, options, os).run();
}

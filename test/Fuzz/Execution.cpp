//===- Execution.cpp - one program through the compiler -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "Upstream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "norm/Conversion/NormToLibrary/Passes.h"
#include "norm/IR/Norm.h"
#include "norm/Recognition/Recognize.h"
#include "norm/Testing/SIMT/Passes.h"
#include "norm/Testing/SIMT/Pipeline.h"
#include "norm/Tools/Driver.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace fuzz;

/// After so many programs a context is given up, for its memory.
static constexpr uint64_t kProgramsAContext = 2000;

template <norm::Stage stage> static void buildCPU(OpPassManager &pm) {
  norm::buildNormToCPUPipeline(pm, norm::CPUPipelineOptions(), stage);
}

template <norm::Stage stage> static void buildNVVM(OpPassManager &pm) {
  norm::buildNormToNVVMPipeline(pm, norm::NVVMPipelineOptions(), stage);
}

static void buildThreads(OpPassManager &pm) {
  norm::CPUPipelineOptions options;
  options.threads = 2;
  norm::buildNormToCPUPipeline(pm, options);
}

static void buildSIMT(OpPassManager &pm) {
  norm::buildNormToSIMTPipeline(pm, norm::SIMTPipelineOptions());
}

static void buildHandOff(OpPassManager &pm) {
  norm::buildRecognition(pm, norm::Rounding::Relaxed);
  norm::buildCallingConvention(pm);
  norm::buildBufferization(pm);
  norm::NormToLibraryOptions options;
  options.function = "my_norm";
  options.suffix = true;
  pm.addPass(norm::createNormToLibrary(options));
}

static constexpr Lowering kLowerings[] = {
    {"cpu linalg", 8, buildCPU<norm::Stage::Linalg>},
    {"nvvm linalg", 16, buildNVVM<norm::Stage::Linalg>},
    {"cpu vector", 32, buildCPU<norm::Stage::Vector>},
    {"nvvm vector", 32, buildNVVM<norm::Stage::Vector>},
    {"cpu llvm", 128, buildCPU<norm::Stage::LLVM>},
    {"cpu llvm threads", 256, buildThreads},
    {"simt llvm", 256, buildSIMT},
    {"library", 64, buildHandOff},
};

/// What makes a program worth changing further, beside the branches that it
/// takes: libFuzzer reads these counters where the platform has the section.
#ifdef __linux__
__attribute__((used, section("__libfuzzer_extra_counters")))
#endif
static uint8_t features[1 << 14];

template <typename... Parts> static void addFeature(const Parts &...parts) {
  features[static_cast<size_t>(llvm::hash_combine(parts...)) %
           std::size(features)] = 1;
}

static void addFeatures(ModuleOp module) {
  module.walk([](Operation *op) {
    StringRef name = op->getName().getStringRef();
    addFeature(name);
    for (Type type : op->getOperandTypes()) {
      std::string element;
      llvm::raw_string_ostream(element) << getElementTypeOrSelf(type);
      auto shaped = dyn_cast<ShapedType>(type);
      addFeature(name, element,
                 shaped && shaped.hasRank() ? shaped.getRank() : -1);
    }
  });
}

static void addFeatures(const norm::Recognition &result) {
  auto withoutDigits = [](StringRef text) {
    std::string words = text.str();
    llvm::erase_if(words, [](char c) { return llvm::isDigit(c); });
    return words;
  };
  for (const norm::RecognizedNorm &norm : result.recognized)
    addFeature("found", withoutDigits(norm.description));
  for (const norm::RejectedNorm &rejected : result.rejected)
    addFeature("rejected", withoutDigits(rejected.explanation));
}

[[noreturn]] static void fail(const Twine &message, Operation *op) {
  llvm::errs() << "norm-fuzz: " << message << '\n';
  op->print(llvm::errs(), OpPrintingFlags().useLocalScope());
  llvm::errs() << '\n';
  abort();
}

static std::string toText(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  return text;
}

Session::Session(const Options &options) : options(options) {
  registry = norm::createCompilerRegistry();
  counts.lowerings.resize(std::size(kLowerings));
}

void Session::startContext() {
  managers.clear();
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // A PassManager that met func.func before its dialect would never run.
  context->loadDialect<func::FuncDialect>();
  DialectRegistry needed;
  norm::registerRecognitionDependencies(needed);
  for (StringRef dialect : needed.getDialectNames())
    context->getOrLoadDialect(dialect);
  context->printOpOnDiagnostic(false);
  context->getDiagEngine().registerHandler(
      [](Diagnostic &) { return success(); });
  managers.resize(std::size(kLowerings));
}

void Session::execute(StringRef text) {
  if (counts.executions++ % kProgramsAContext == 0)
    startContext();
  ParserConfig config(context.get(), /*verifyAfterParse=*/false);
  auto module = parseSourceString<ModuleOp>(text, config);
  if (!module)
    return;
  ++counts.parsed;
  if (crashesUpstream(*module) || failed(verify(*module)))
    return;
  ++counts.verified;
  uint64_t hash = llvm::xxh3_64bits(text);
  // Before recognition, which pipelines have themselves.
  for (auto [index, lowering] : llvm::enumerate(kLowerings)) {
    if (!options.lowerAll && hash / 4 % lowering.oneIn != index)
      continue;
    OwningOpRef<ModuleOp> copy = module->clone();
    lower(*copy, index);
  }
  recognize(*module, hash);
}

void Session::recognize(ModuleOp module, uint64_t hash) {
  bool compares = hash / 4 % 8 == 7;
  std::string before = compares ? toText(module) : "";
  static constexpr norm::Rounding kRoundings[] = {
      norm::Rounding::Default, norm::Rounding::Default, norm::Rounding::Exact,
      norm::Rounding::Relaxed};
  norm::Recognition result =
      norm::recognizeRMSNorms(module, kRoundings[hash % 4]);
  addFeatures(result);
  // Elsewhere small programs of many ops and types would crowd the norms out.
  if (!result.recognized.empty() || !result.rejected.empty())
    addFeatures(module);
  counts.recognized += !result.recognized.empty();
  counts.norms += result.recognized.size();
  counts.rejected += result.rejected.size();
  if (failed(verify(module)))
    fail("recognition leaves an invalid program", module);
  if (compares && result.recognized.empty() && toText(module) != before)
    fail("a rejection changes the program", module);
  for (norm::RecognizedNorm &norm : result.recognized)
    if (options.planted &&
        norm.op.getEpsilonInComputeType().convertToDouble() > 1.25)
      fail("planted fault", norm.op);
  if (!compares || result.recognized.empty())
    return;
  if (!parseSourceString<ModuleOp>(toText(module), context.get()))
    fail("what recognition leaves cannot be read again", module);
}

void Session::lower(ModuleOp module, size_t lowering) {
  std::unique_ptr<PassManager> &pm = managers[lowering];
  if (!pm) {
    pm = std::make_unique<PassManager>(context.get());
    kLowerings[lowering].build(*pm);
  }
  LoweringCount &count = counts.lowerings[lowering];
  ++count.runs;
  count.succeeded += succeeded(pm->run(module));
}

void Session::print(raw_ostream &os) const {
  auto percent = [&](uint64_t part) {
    return llvm::format(" (%.1f%%)", counts.executions
                                         ? 100.0 * part / counts.executions
                                         : 0.0);
  };
  os << "executions: " << counts.executions << "\nparsed: " << counts.parsed
     << percent(counts.parsed) << "\nverified: " << counts.verified
     << percent(counts.verified) << "\nrecognized: " << counts.recognized
     << percent(counts.recognized) << "\nnorms: " << counts.norms
     << "\nrejections: " << counts.rejected << '\n';
  for (auto [lowering, count] : llvm::zip(kLowerings, counts.lowerings))
    os << lowering.name << ": " << count.runs << ", to the end "
       << count.succeeded << '\n';
  os.flush();
}

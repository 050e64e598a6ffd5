//===- Analyze.cpp - compile a copy and take notes ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/Norm.h"
#include "norm/Target/NVVM/Chips.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::norm;

std::optional<unsigned> norm::getSourceLine(StringRef file, Location loc) {
  auto at = dyn_cast<FileLineColLoc>(loc);
  if (!at || at.getFilename() != file)
    return std::nullopt;
  return at.getLine();
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

namespace {
/// Collects remarks: findings and products.
class FindingCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit FindingCollector(Report &report) : report(report) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const auto &argument : remark.getArgs())
      text += argument.val;
    bool isPassed = remark.getRemarkType() == llvm::remarks::Type::Passed;
    Location loc = remark.getLocation();
    if (remark.getCategoryName() == "norm-recognize")
      report.findings.push_back(
          {loc, isPassed ? Finding::Kind::Match : Finding::Kind::Rejection,
           text});
    else if (isPassed && remark.getCategoryName() == "norm-tile-products")
      report.findings.push_back({loc, Finding::Kind::Product, text});
    else if (!isPassed && seen.insert({loc.getAsOpaquePointer(), text})
                              .second) // once for copies of a loop
      report.findings.push_back({loc, Finding::Kind::Missed, text});
  }

private:
  Report &report;
  std::set<std::pair<const void *, std::string>> seen;
};

/// Inspects the program between passes.
class NoteTaker : public PassInstrumentation {
public:
  NoteTaker(ModuleOp module, Report &report) : report(report) {
    for (auto function : module.getOps<FunctionOpInterface>())
      numInputs[function.getName()] = function.getNumArguments();
  }

  void runBeforePass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    if (name == "norm-recognize")
      return collectLines(op, linesBefore);
    // After this point there are versions for threads, or kernels.
    if (name == "buffer-loop-hoisting" || name == "norm-distribute-rows-to-gpu")
      noteLoops(op);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "norm-recognize")
      noteRecognized(op);
    if (pass->getArgument() == "norm-store-whole-bytes")
      noteLinalg(op);
  }

private:
  using LineSet = std::set<unsigned>;

  void collectLines(Operation *scope, LineSet &lines) {
    scope->walk([&](linalg::LinalgOp op) {
      if (auto line = getSourceLine(report.file, op.getLoc()))
        lines.insert(*line);
    });
  }

  /// Records which ops recognition removed and added.
  void noteRecognized(Operation *scope) {
    LineSet left;
    collectLines(scope, left);
    for (unsigned line : linesBefore)
      if (!left.count(line))
        report.matchedLines.insert(line);
    AsmState::LocationMap places;
    AsmState state(scope, OpPrintingFlags(), &places);
    llvm::raw_string_ostream os(report.recognized);
    scope->print(os, state);
    scope->walk([&](RMSNormOpInterface op) {
      report.normLines.insert(places[op].first);
      if (auto line = getSourceLine(report.file, op.getLoc()))
        report.matchedLines.insert(*line);
    });
  }

  void noteLinalg(Operation *scope) {
    forEachFunction(scope, [](FunctionOpInterface f, FunctionReport &known) {
      f->walk([&](linalg::LinalgOp) { ++known.numLinalgOps; });
      known.operations = countOperations(f);
    });
  }

  void noteLoops(Operation *scope) {
    forEachFunction(scope, [&](FunctionOpInterface f, FunctionReport &known) {
      if (known.loops.empty())
        known.loops =
            describeLoops(f, numInputs.lookup(f.getName()), report.file);
    });
  }

  void forEachFunction(
      Operation *scope,
      llvm::function_ref<void(FunctionOpInterface, FunctionReport &)> visit) {
    scope->walk([&](FunctionOpInterface function) {
      if (!function.isExternal() && numInputs.contains(function.getName()))
        visit(function, getReport(function.getName()));
    });
  }

  FunctionReport &getReport(StringRef name) {
    for (FunctionReport &known : report.functions)
      if (known.name == name)
        return known;
    FunctionReport &added = report.functions.emplace_back();
    added.name = name.str();
    return added;
  }

  Report &report;
  llvm::StringMap<unsigned> numInputs;
  LineSet linesBefore;
};
} // namespace

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// Returns the length of the registers that code uses
/// (norm-use-x86-instructions).
static unsigned getVectorBits(llvm::TargetMachine &machine) {
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setDataLayout(machine.createDataLayout());
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::GlobalValue::ExternalLinkage, "f", module);
  function->addFnAttr("prefer-vector-width", "512");
  return machine.getTargetTransformInfo(*function)
      .getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector)
      .getFixedValue();
}

static Roof getGPURoof(StringRef chip) {
  std::optional<DataSheet> sheet = getDataSheet(chip);
  if (!sheet)
    return {0, 0, "unknown for " + chip.str(), "unknown for " + chip.str()};
  std::string source =
      ("data sheet of " + sheet->product + ", not measured").str();
  return {sheet->gigabytesPerSecond, sheet->gigaflops, source, source};
}

/// Returns true if this machine can run the compiled code.
static bool isThisMachine(const llvm::TargetMachine &machine) {
  llvm::Triple here(llvm::sys::getProcessTriple());
  if (machine.getTargetTriple().getArch() != here.getArch())
    return false;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return llvm::none_of(
      machine.getMCSubtargetInfo()->getEnabledProcessorFeatures(),
      [&](const llvm::SubtargetFeatureKV &feature) {
        auto it = features.find(feature.Key);
        return it != features.end() && !it->second;
      });
}

static Roof overrideRoof(Roof roof, const RoofOptions &given) {
  if (given.gigabytesPerSecond > 0) {
    roof.gigabytesPerSecond = given.gigabytesPerSecond;
    roof.bandwidthSource = "--bandwidth";
  }
  if (given.gigaflops > 0) {
    roof.gigaflops = given.gigaflops;
    roof.peakSource = "--peak";
  }
  return roof;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static LogicalResult collectFindings(MLIRContext *context, Report &report) {
  remark::RemarkCategories wanted;
  wanted.passed = wanted.missed = "norm-.*";
  auto engine = std::make_unique<remark::detail::RemarkEngine>(false, wanted);
  std::string message;
  if (failed(engine->initialize(
          std::make_unique<FindingCollector>(report),
          std::make_unique<remark::RemarkEmittingPolicyAll>(), &message)))
    return emitError(UnknownLoc::get(context), message);
  context->setRemarkEngine(std::move(engine));
  return success();
}

static LogicalResult compileCopy(ModuleOp module, const Target &target,
                                 const CompileOptions &options,
                                 Report &report) {
  MLIRContext *context = module.getContext();
  if (failed(collectFindings(context, report)))
    return failure();
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(reportError(module, target.setRowTarget(*copy, options))))
    return failure();
  PassManager pm(context);
  pm.addInstrumentation(std::make_unique<NoteTaker>(module, report));
  CompileOptions whole = options;
  whole.minLoops = -1; // Loops are inspected in the function that has them.
  // Kernels are inspected before they are outlined.
  Stage last = report.hasKernels ? Stage::Vector : Stage::Memory;
  if (failed(
          reportError(module, target.buildPipeline(pm, module, whole, last))))
    return failure();
  // The notes are taken in program order.
  bool wasThreaded = context->isMultithreadingEnabled();
  context->disableMultithreading();
  LogicalResult result = runPasses(pm, *copy, options.runner);
  context->enableMultithreading(wasThreaded);
  context->setRemarkEngine(nullptr);
  return result;
}

FailureOr<Report> norm::analyzeModule(ModuleOp module, StringRef source,
                                      StringRef file,
                                      const CompileOptions &options,
                                      const RoofOptions &roof) {
  auto machine = createTargetMachine(options.machine);
  if (!machine)
    return module.emitError(llvm::toString(machine.takeError())), failure();
  auto target = lookupTarget(options.target);
  if (!target)
    return failure(failed(reportError(module, target.takeError())));
  Report report;
  report.file = file;
  report.source = source;
  report.hasKernels = !(*target)->getHostRuntime();
  report.threads = options.threads;
  if (report.hasKernels) {
    report.machine = options.chip;
    report.roof = overrideRoof(getGPURoof(options.chip), roof);
  } else {
    unsigned bits = getVectorBits(**machine);
    report.machine =
        ((*machine)->getTargetTriple().getArchName() + " " +
         (*machine)->getTargetCPU() + ", " + Twine(bits) + "-bit registers")
            .str();
    report.isForThisMachine = isThisMachine(**machine);
    report.roof = overrideRoof({0, 0, "not known", "give --peak"}, roof);
  }
  if (failed(compileCopy(module, **target, options, report)))
    return failure();
  return report;
}

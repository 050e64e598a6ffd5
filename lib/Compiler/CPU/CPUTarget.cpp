//===- CPUTarget.cpp - x86-64 and AArch64 ---------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "TVMFFI.h"
#include "norm/Compiler/ShapeFunctions.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/RowTarget.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
class CPUTarget : public Target {
public:
  StringRef getName() const override { return "cpu"; }
  ArrayRef<Emit> getEmits() const override {
    static constexpr Emit emits[] = {
        Emit::Norm,        Emit::Linalg, Emit::Vector,
        Emit::LLVMDialect, Emit::LLVMIR, Emit::Object,
        Emit::Shared,      Emit::Header, Emit::Assembly};
    return emits;
  }
  ArrayRef<StringRef> getOptions() const override {
    static constexpr StringRef names[] = {
        "threads",        "products", "entry",     "dispatch",
        "verify-buffers", "ranks",    "sum-parts", "mpi"};
    return names;
  }
  LogicalResult verify(ModuleOp module,
                       const CompileOptions &options) const override;
  llvm::Error setRowTarget(ModuleOp module,
                           const CompileOptions &options) const override;
  llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                            const CompileOptions &options,
                            Stage upTo) const override;
  LogicalResult writeCode(ModuleOp module, const CompileOptions &options,
                          Emit emit, raw_ostream &os) const override;
  LinkOptions getLinkOptions(const CompileOptions &options) const override {
    LinkOptions link;
    link.openmp = options.threads > 1;
    return link;
  }
  const HostRuntime *getHostRuntime() const override {
    static const HostRuntime runtime;
    return &runtime;
  }

private:
  FailureOr<std::unique_ptr<llvm::Module>>
  translate(ModuleOp module, const CompileOptions &options,
            llvm::LLVMContext &context, llvm::TargetMachine &machine) const;
  FailureOr<std::unique_ptr<llvm::Module>>
  translateForLevels(ModuleOp module, CompileOptions options,
                     llvm::LLVMContext &context) const;
};
} // namespace

void norm::buildRanksPipeline(OpPassManager &pm,
                              const CompileOptions &options) {
  MPIPipelineOptions mpi;
  mpi.rounding = options.rounding;
  mpi.implementation = options.mpi;
  mpi.sumParts = options.sumParts;
  mpi.ranks = options.ranks;
  buildNormToMPIPipeline(pm, mpi);
}

const Target &norm::getCPUTarget() {
  static const CPUTarget target;
  return target;
}

static LogicalResult verifyRanks(ModuleOp module,
                                 const CompileOptions &options) {
  if (options.ranks == 0 && (options.sumParts != 0 || options.mpi != "MPICH"))
    return module.emitError("--sum-parts and --mpi need --ranks");
  if (options.mpi != "MPICH" && options.mpi != "OpenMPI")
    return module.emitError("--mpi is MPICH or OpenMPI, not ") << options.mpi;
  if (options.ranks > 0 && failed(verifyWritesOverNone(module, "--ranks")))
    return failure();
  if (options.ranks > 0 && options.emit == Emit::Header)
    return module.emitError("--emit=header has the shapes of all ranks, so it "
                            "does not go with --ranks");
  if (options.ranks > 0 && options.entry == Entry::TVMFFI)
    return module.emitError("--entry=tvm-ffi checks the shapes of all ranks, "
                            "so it does not go with --ranks");
  return success();
}

/// Checks what --entry=tvm-ffi does not go with.
static LogicalResult verifyTVMFFI(ModuleOp module, Emit emit,
                                  const llvm::Triple &triple) {
  if (emit < Emit::LLVMIR || emit == Emit::Header)
    return module.emitError("--entry=tvm-ffi is made of LLVM IR: emit llvm-ir, "
                            "asm, obj or shared");
  // Its runtime has C's types of the machine that it was compiled for.
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  if (triple.getArch() != host.getArch())
    return module.emitError("--entry=tvm-ffi is for machines like this one, "
                            "not ")
           << triple.str();
  return verifyWritesOverNone(module, "--entry=tvm-ffi");
}

static LogicalResult verifyDispatch(ModuleOp module,
                                    const CompileOptions &options,
                                    const llvm::Triple &triple) {
  if (!options.machine.cpu.empty() || !options.machine.features.empty())
    return module.emitError("--dispatch chooses the CPU at run time: it does "
                            "not go with --mcpu and --mattr");
  if (options.emit < Emit::LLVMIR)
    return module.emitError("--dispatch has no stage before LLVM IR for all of "
                            "its CPUs: emit llvm-ir, asm, obj or shared");
  if (triple.getArch() != llvm::Triple::x86_64)
    return module.emitError("--dispatch needs an x86-64 target, got ")
           << triple.str();
  return success();
}

LogicalResult CPUTarget::verify(ModuleOp module,
                                const CompileOptions &options) const {
  if (failed(verifyRanks(module, options)))
    return failure();
  if (!options.dispatch && options.entry == Entry::C)
    return success();
  auto machine = createTargetMachine(options.machine);
  if (!machine)
    return reportError(module, machine.takeError());
  const llvm::Triple &triple = (*machine)->getTargetTriple();
  if (options.dispatch && failed(verifyDispatch(module, options, triple)))
    return failure();
  if (options.entry == Entry::TVMFFI)
    return verifyTVMFFI(module, options.emit, triple);
  return success();
}

llvm::Error CPUTarget::setRowTarget(ModuleOp module,
                                    const CompileOptions &options) const {
  auto machine = createTargetMachine(options.machine);
  if (!machine)
    return machine.takeError();
  if (!(*machine)->getTargetTriple().isX86() ||
      !(*machine)->getMCSubtargetInfo()->checkFeatures("+avx512f"))
    return llvm::Error::success();
  NamedAttrList numbers(
      module->getAttrOfType<DictionaryAttr>(rowTargetAttrName));
  // Measured on Sapphire Rapids of 192 to 512: bodies with 4 to 6 values in 64
  // lanes take 0.66 to 0.98 of the time that they take in parts, and those with
  // 8, floats of a byte, 1.05 to 1.13.
  for (auto [name, value] :
       {std::pair("live_lanes", 384), {"product_lanes", 64}})
    if (!numbers.get(name))
      numbers.set(name, Builder(module).getI64IntegerAttr(value));
  module->setAttr(rowTargetAttrName,
                  numbers.getDictionary(module.getContext()));
  return llvm::Error::success();
}

llvm::Error CPUTarget::buildPipeline(OpPassManager &pm, ModuleOp module,
                                     const CompileOptions &options,
                                     Stage upTo) const {
  auto machine = createTargetMachine(options.machine);
  if (!machine)
    return machine.takeError();
  CPUPipelineOptions cpu;
  setTarget(cpu, **machine);
  cpu.rounding = options.rounding;
  cpu.threads = options.threads;
  cpu.verifyBuffers = options.verifyBuffers;
  cpu.minLoops = options.minLoops;
  cpu.cacheBytes = options.cacheBytes;
  cpu.grain = options.grain;
  cpu.products = options.products;
  if (options.ranks > 0)
    buildRanksPipeline(pm, options);
  buildNormToCPUPipeline(pm, cpu, upTo);
  return llvm::Error::success();
}

/// Lowers `module` to LLVM IR, with the entries that are asked for.
FailureOr<std::unique_ptr<llvm::Module>>
CPUTarget::translate(ModuleOp module, const CompileOptions &options,
                     llvm::LLVMContext &context,
                     llvm::TargetMachine &machine) const {
  if (options.entry == Entry::C) {
    if (failed(lowerModule(module, *this, options)))
      return failure();
    return translateToLLVMIR(module, context, machine);
  }
  auto functions = collectTVMFFIFunctions(module);
  if (failed(functions) ||
      failed(addShapeFunctions(module, ExtentChecks::Assert)) ||
      failed(lowerModule(module, *this, options)))
    return failure();
  return translateToLLVMIR(module, context, machine,
                           [&](llvm::Module &translated) {
                             return addTVMFFIEntries(translated, *functions);
                           });
}

/// Translates to LLVM IR for each of getDispatchedLevels, in one module.
FailureOr<std::unique_ptr<llvm::Module>>
CPUTarget::translateForLevels(ModuleOp module, CompileOptions options,
                              llvm::LLVMContext &context) const {
  SmallVector<std::unique_ptr<llvm::Module>> variants;
  for (const X86Level &level : getDispatchedLevels()) {
    options.machine.cpu = level.cpu.str();
    auto machine = createTargetMachine(options.machine);
    if (!machine)
      return failure(failed(reportError(module, machine.takeError())));
    OwningOpRef<ModuleOp> copy = module.clone();
    auto variant = translate(*copy, options, context, **machine);
    if (failed(variant))
      return failure();
    variants.push_back(std::move(*variant));
  }
  auto linked = linkVariants(variants);
  if (!linked)
    return failure(failed(reportError(module, linked.takeError())));
  return std::move(*linked);
}

LogicalResult CPUTarget::writeCode(ModuleOp module,
                                   const CompileOptions &options, Emit emit,
                                   raw_ostream &os) const {
  // The code generator of the lowest level serves all levels.
  MachineSpec spec = options.machine;
  if (options.dispatch)
    spec.cpu = getDispatchedLevels().front().cpu.str();
  auto machine = createTargetMachine(spec);
  if (!machine)
    return reportError(module, machine.takeError());
  llvm::LLVMContext context;
  auto ir = options.dispatch ? translateForLevels(module, options, context)
                             : translate(module, options, context, **machine);
  return failed(ir) ? failure()
                    : writeNativeCode(module, **ir, **machine, emit, os);
}

//===- VerifyTarget.cpp - what a GPU has and has not ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: the NVPTX back end ends the process for a chip, PTX
// version or type that it does not have; goes when it reports errors.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "norm/IR/Norm.h"
#include "norm/Target/NVVM/Chips.h"
#include "norm/Target/NVVM/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVERIFYGPUTARGET
#define GEN_PASS_DEF_NORMVERIFYGPUMEMORY
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Shared memory of static size that a block may have on every chip (CUDA C++
/// Programming Guide, "Compute Capabilities").
static constexpr int64_t kSharedBytes = 48 * 1024;

/// 90 for "sm_90a", 0 for another text.
static int64_t getNumber(llvm::StringRef chip) {
  int64_t number = 0;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, number))
    return 0;
  return number;
}

int64_t norm::getMaxCluster(llvm::StringRef chip) {
  int64_t number = getNumber(chip);
  if (number < 90)
    return 1;
  bool isDataCenter = number == 90 || number == 100 || number == 103;
  return isDataCenter ? 16 : 8;
}

bool norm::hasFP8Conversions(llvm::StringRef chip) {
  return getNumber(chip) >= 90;
}

std::optional<norm::DataSheet> norm::getDataSheet(llvm::StringRef chip) {
  chip.consume_back("a");
  return llvm::StringSwitch<std::optional<DataSheet>>(chip)
      .Case("sm_70", DataSheet{"V100 SXM2", 900, 15700})
      .Case("sm_80", DataSheet{"A100 80 GB SXM", 2039, 19500})
      .Case("sm_90", DataSheet{"H100 80 GB SXM", 3350, 67000})
      .Case("sm_100", DataSheet{"B200", 8000, 75000})
      .Default(std::nullopt);
}

static const llvm::Target *getNVPTX(const llvm::Triple &triple) {
  NVVM::SerializeGPUModuleBase::init();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

/// The oldest PTX version that has `chip`, as 80 for 8.0. LLVM says it only in
/// what it writes; an empty module will do.
static unsigned getLeastVersion(const llvm::Target &target,
                                const llvm::Triple &triple, StringRef chip) {
  std::unique_ptr<llvm::TargetMachine> machine(
      target.createTargetMachine(triple, chip, "", {}, std::nullopt));
  llvm::LLVMContext context;
  llvm::Module module("empty", context);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  SmallString<256> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return 0;
  codegen.run(module);
  StringRef version = text.str().split(".version ").second;
  unsigned major, minor;
  if (version.consumeInteger(10, major) || !version.consume_front(".") ||
      version.consumeInteger(10, minor))
    return 0;
  return major * 10 + minor;
}

/// Whether LLVM writes that version, 80 for 8.0.
static bool isVersion(const llvm::MCSubtargetInfo &info, unsigned version) {
  std::string name = "ptx" + std::to_string(version);
  return llvm::any_of(info.getAllProcessorFeatures(), [&](const auto &feature) {
    return StringRef(feature.Key) == name;
  });
}

static std::string getVersionText(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// LLVM has no NVPTX code for these, and ends the process where it finds one.
static bool isUnknownToGPU(Operation *op, Type type) {
  Type element = getElementTypeOrSelf(type);
  // A library call elsewhere.
  if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
          arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() > 64;
  return element.isF80() || element.isF128() || element.isTF32();
}

static LogicalResult verifyTypes(gpu::GPUFuncOp kernel) {
  return failure(norm::anyIn(kernel, [&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isUnknownToGPU(op, type)) {
        bool isPlaced = !isa<UnknownLoc>(op->getLoc()); // folded constants
        emitError(isPlaced ? op->getLoc() : kernel.getLoc(), "GPUs have no '")
            << op->getName() << "' on " << getElementTypeOrSelf(type);
        return true;
      }
    return false;
  }));
}

static LogicalResult verifyWorkgroupMemory(gpu::GPUFuncOp kernel) {
  int64_t total = 0;
  for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    total +=
        type.getNumElements() *
        int64_t(DataLayout::closest(kernel).getTypeSize(type.getElementType()));
  }
  if (total <= kSharedBytes)
    return success();
  return kernel.emitError("a block needs ")
         << total << " bytes of shared memory, the GPU has " << kSharedBytes;
}

namespace {
struct NormVerifyGPUTarget
    : norm::impl::NormVerifyGPUTargetBase<NormVerifyGPUTarget> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verify(getOperation())))
      signalPassFailure();
  }

  LogicalResult verify(ModuleOp module) {
    llvm::Triple triple("nvptx64-nvidia-cuda");
    const llvm::Target *target = getNVPTX(triple);
    if (!target)
      return module.emitError("this LLVM has no NVPTX target");
    // Without the chip: LLVM prints a warning of its own for an unknown one.
    std::unique_ptr<llvm::MCSubtargetInfo> info(
        target->createMCSubtargetInfo(triple, "", ""));
    if (!StringRef(chip).starts_with("sm_") || !info->isCPUStringValid(chip))
      return module.emitError("unknown chip '")
             << chip.getValue() << "', expected one such as sm_90";
    if (dependentLaunch && getNumber(chip) < 90)
      return module.emitError("dependent launches need sm_90 or later, got ")
             << chip.getValue();
    if (ptxVersion.empty())
      return success();
    // Asking LLVM for the least one takes a compilation of nothing.
    unsigned least = getLeastVersion(*target, triple, chip), version;
    std::string digits = ptxVersion;
    llvm::erase(digits, '.');
    if (StringRef(digits).getAsInteger(10, version) ||
        !isVersion(*info, version))
      return module.emitError("unknown PTX version '")
             << ptxVersion.getValue() << "', expected one such as "
             << getVersionText(std::max(least, 80u));
    if (version < least)
      return module.emitError()
             << chip.getValue() << " needs PTX " << getVersionText(least)
             << " at least, got " << ptxVersion.getValue();
    return success();
  }
};

struct NormVerifyGPUMemory
    : norm::impl::NormVerifyGPUMemoryBase<NormVerifyGPUMemory> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(verifyTypes(kernel)) || failed(verifyWorkgroupMemory(kernel)))
        return signalPassFailure();
  }
};
} // namespace

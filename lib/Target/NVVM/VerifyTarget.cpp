//===- VerifyTarget.cpp - what a GPU does not have ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "norm/Target/NVVM/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVERIFYGPUTARGET
#define GEN_PASS_DEF_NORMVERIFYGPUMEMORY
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static std::unique_ptr<llvm::MCSubtargetInfo> createSubtarget(StringRef chip) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  std::string error;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, chip, ""));
}

/// The PTX versions that LLVM writes, as 80 for 8.0, and the one that it takes
/// for the chip of `info`.
static SmallVector<unsigned> getVersions(const llvm::MCSubtargetInfo &info,
                                         unsigned &least) {
  SmallVector<unsigned> versions;
  least = 0;
  for (const auto &feature : info.getAllProcessorFeatures()) {
    StringRef name = feature.Key;
    unsigned version;
    if (!name.consume_front("ptx") || name.getAsInteger(10, version))
      continue;
    versions.push_back(version);
    if (info.checkFeatures("+" + StringRef(feature.Key).str()))
      least = std::max(least, version);
  }
  return versions;
}

static std::string getVersionText(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

static LogicalResult verifyVersion(ModuleOp module, StringRef text,
                                   StringRef chip,
                                   const llvm::MCSubtargetInfo &info) {
  unsigned least, version;
  SmallVector<unsigned> versions = getVersions(info, least);
  std::string digits = text.str();
  llvm::erase(digits, '.');
  if (StringRef(digits).getAsInteger(10, version) ||
      !llvm::is_contained(versions, version))
    return module.emitError("unknown PTX version '")
           << text << "', expected one such as "
           << getVersionText(std::max(least, 80u));
  if (version < least)
    return module.emitError() << chip << " needs PTX " << getVersionText(least)
                              << " at least, got " << text;
  return success();
}

namespace {
struct NormVerifyGPUTarget
    : norm::impl::NormVerifyGPUTargetBase<NormVerifyGPUTarget> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // No CPU at first: LLVM prints a warning of its own for an unknown one.
    std::unique_ptr<llvm::MCSubtargetInfo> info = createSubtarget("");
    if (!info) {
      module.emitError("this LLVM has no NVPTX target");
      return signalPassFailure();
    }
    if (!StringRef(chip).starts_with("sm_") || !info->isCPUStringValid(chip)) {
      module.emitError("unknown chip '")
          << chip << "', expected one such as sm_90";
      return signalPassFailure();
    }
    if (!ptxVersion.empty() &&
        failed(verifyVersion(module, ptxVersion, chip, *createSubtarget(chip))))
      signalPassFailure();
  }
};

struct NormVerifyGPUMemory
    : norm::impl::NormVerifyGPUMemoryBase<NormVerifyGPUMemory> {
  using Base::Base;

  void runOnOperation() override {
    DataLayout layout(getOperation());
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      int64_t total = 0;
      for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
        auto type = cast<MemRefType>(buffer.getType());
        total += type.getNumElements() *
                 int64_t(layout.getTypeSize(type.getElementType()));
      }
      if (total <= bytes)
        continue;
      kernel.emitError("a block needs ")
          << total << " bytes of shared memory, the GPU has " << bytes;
      return signalPassFailure();
    }
  }
};
} // namespace

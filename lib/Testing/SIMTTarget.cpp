//===- SIMTTarget.cpp - kernels emulated in this process ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "norm/Testing/SIMT/Pipeline.h"
#include "norm/Testing/SIMT/Runtime.h"
#include "norm/Testing/Targets.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
class SIMTTarget : public Target {
public:
  StringRef getName() const override { return "simt"; }
  ArrayRef<Emit> getEmits() const override {
    static constexpr Emit emit = Emit::LLVMDialect;
    return emit;
  }
  ArrayRef<StringRef> getOptions() const override {
    static constexpr StringRef names[] = {"chip"};
    return names;
  }
  llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                            const CompileOptions &options,
                            Stage upTo) const override {
    SIMTPipelineOptions simt;
    simt.rounding = options.rounding;
    simt.chip = options.chip;
    simt.hasKernels = !module.getOps<gpu::GPUModuleOp>().empty();
    buildNormToSIMTPipeline(pm, simt);
    return llvm::Error::success();
  }
  const HostRuntime *getHostRuntime() const override {
    static const HostRuntime runtime = [] {
      static SmallVector<HostRuntime::Symbol> symbols;
      for (const simt::Symbol *symbol = simt::getSymbols(); symbol->name;
           ++symbol)
        symbols.push_back({symbol->name, symbol->address});
      HostRuntime result;
      result.symbols = symbols;
      result.takeError = simt::takeError;
      // There are many emulated programs, and each runs once.
      result.optLevel = llvm::CodeGenOptLevel::Less;
      return result;
    }();
    return &runtime;
  }
};
} // namespace

const Target &norm::getSIMTTarget() {
  static const SIMTTarget target;
  return target;
}

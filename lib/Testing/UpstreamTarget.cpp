//===- UpstreamTarget.cpp - what upstream alone makes of a program --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This target is the comparison of norm-run and norm-bench: the passes of
// upstream's own linalg-on-CPU tests, which lower each linalg op to loops.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Buffers/Passes.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/Normalize/Passes.h"
#include "norm/Testing/Targets.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
class UpstreamTarget : public Target {
public:
  StringRef getName() const override { return "upstream"; }
  ArrayRef<Emit> getEmits() const override {
    static constexpr Emit emit = Emit::LLVMDialect;
    return emit;
  }
  ArrayRef<StringRef> getOptions() const override { return {}; }
  llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                            const CompileOptions &options,
                            Stage upTo) const override {
    buildFrontEndLowering(pm);
    pm.addPass(createNormNestedIndicesToLoops());
    // This makes programs with norm ops comparable too.
    pm.addPass(createNormToLinalg());
    pm.addPass(createNormSeparateDestinations({/*carried=*/true}));
    pm.addPass(createNormResultsToOutParams());
    buildBufferization(pm);
    pm.addPass(createConvertLinalgToLoopsPass());
    buildScalarLowering(pm);
    buildConvertToLLVM(pm);
    return llvm::Error::success();
  }
  const HostRuntime *getHostRuntime() const override {
    static const HostRuntime runtime;
    return &runtime;
  }
};
} // namespace

const Target &norm::getUpstreamTarget() {
  static const UpstreamTarget target;
  return target;
}

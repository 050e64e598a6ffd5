//===- ConvertMPIToLLVM.cpp - MPI calls -----------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream has these patterns, but no pass of them alone: convert-to-llvm with
// the dialect as its filter fails where no program has loaded the dialect.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MPIToLLVM/MPIToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCONVERTMPITOLLVM
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
struct NormConvertMPIToLLVM
    : norm::impl::NormConvertMPIToLLVMBase<NormConvertMPIToLLVM> {
  void runOnOperation() override {
    LLVMConversionTarget target(getContext());
    target.addIllegalDialect<mpi::MPIDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    mpi::populateMPIToLLVMConversionPatterns(converter, patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

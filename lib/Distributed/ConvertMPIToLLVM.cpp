//===- ConvertMPIToLLVM.cpp - MPI calls -----------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-to-llvm with the filter mpi fails where no
// program has loaded the dialect, and names for OpenMPI are wrong; goes when
// both are mended.

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MPIToLLVM/MPIToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Distributed/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCONVERTMPITOLLVM
#include "norm/Distributed/Passes.h.inc"
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
      return signalPassFailure();
    if (failed(renameReductions()))
      return signalPassFailure();
    SmallVector<LLVM::CallOp> calls;
    getOperation()->walk([&](LLVM::CallOp call) { calls.push_back(call); });
    llvm::for_each(calls, loadWholeCommunicator);
  }

private:
  /// A communicator of OpenMPI is a pointer; upstream loads 32 bits of it.
  static void loadWholeCommunicator(LLVM::CallOp call) {
    if (call.getCallee() != "MPI_Comm_split" ||
        !isa<LLVM::LLVMPointerType>(call.getArgOperands().front().getType()))
      return;
    OpBuilder b(call.getContext());
    Value place = call.getArgOperands().back();
    for (Operation *user : llvm::make_early_inc_range(place.getUsers())) {
      auto load = dyn_cast<LLVM::LoadOp>(user);
      if (!load || !load.getType().isInteger(32) || !load->hasOneUse())
        continue;
      Operation *extend = *load->user_begin();
      b.setInsertionPoint(load);
      Value whole =
          LLVM::LoadOp::create(b, load.getLoc(), b.getI64Type(), place);
      extend->getResult(0).replaceAllUsesWith(whole);
      extend->erase();
      load->erase();
    }
  }

  /// OpenMPI's reductions are ompi_mpi_op_sum and so on; upstream writes
  /// ompi_mpi_sum.
  LogicalResult renameReductions() {
    SymbolTable symbols(getOperation());
    for (StringRef name : {"sum", "prod", "max", "min", "land", "lor", "lxor",
                           "band", "bor", "bxor", "maxloc", "minloc"})
      if (Operation *global = symbols.lookup(("ompi_mpi_" + name).str()))
        if (failed(symbols.rename(global, ("ompi_mpi_op_" + name).str())))
          return failure();
    return success();
  }
};
} // namespace

//===- RMSNormBufferize.cpp - BufferizableOpInterface of the ops ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::bufferization;

namespace {
/// A destination-style op that overwrites its inits without reading them. It
/// does not access elementwise (the interface's default): an element is written
/// after the whole row was read, so x in the buffer of init is a conflict.
template <typename OpTy>
struct RowBufferization
    : DstBufferizableOpInterfaceExternalModel<RowBufferization<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<OpTy>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    if (!cast<OpTy>(op).hasPureTensorSemantics())
      return success();
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    clone(rewriter, op, TypeRange(), buffers);
    replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef(buffers).take_back(op->getNumResults()));
    return success();
  }
};
} // namespace

void norm::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NormDialect *) {
    RMSNormOp::attachInterface<RowBufferization<RMSNormOp>>(*context);
    RMSNormBackwardOp::attachInterface<RowBufferization<RMSNormBackwardOp>>(
        *context);
  });
}

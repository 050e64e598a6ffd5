//===- BufferizableOpInterfaceImpl.h - bufferize norm ops -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_BUFFERIZABLEOPINTERFACEIMPL_H
#define NORM_IR_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
namespace norm {
/// Lets --one-shot-bufferize rewrite norm ops on tensors to memrefs.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);
} // namespace norm
} // namespace mlir

#endif // NORM_IR_BUFFERIZABLEOPINTERFACEIMPL_H

//===- RuntimeVerifiableOpInterfaceImpl.h - run-time checks -----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_RUNTIMEVERIFIABLEOPINTERFACEIMPL_H
#define NORM_IR_RUNTIMEVERIFIABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
namespace norm {
/// Lets --generate-runtime-verification check the rules that depend on dynamic
/// extents: S5, S6, S7 and S8.
void registerRuntimeVerifiableOpInterfaceExternalModels(
    DialectRegistry &registry);
} // namespace norm
} // namespace mlir

#endif // NORM_IR_RUNTIMEVERIFIABLEOPINTERFACEIMPL_H

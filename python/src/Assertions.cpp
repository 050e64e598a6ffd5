//===- Assertions.cpp - failed assertions of compiled code ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assertions.h"
#include "../../runtime/cpu/Assertions.h"

using namespace norm_python;

llvm::ArrayRef<mlir::norm::HostRuntime::Symbol>
norm_python::getAssertionSymbols() {
  static const mlir::norm::HostRuntime::Symbol symbols[] = {
      {"write", reinterpret_cast<void *>(norm::cpu::writeMessage)},
      {"abort", reinterpret_cast<void *>(norm::cpu::leave)}};
  return symbols;
}

std::string norm_python::runAsserted(void (*entry)(void **), void **arguments) {
  norm::cpu::AssertedCall call;
  const char *message = norm::cpu::runAsserted(entry, arguments, call);
  return message ? message : "";
}

//===- norm-reduce.cpp - mlir-reduce with the norm dialect and passes -----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "norm/ExecutionEngine/Driver.h"
#include "norm/InitAll.h"

using namespace mlir;

int main(int argc, char **argv) {
  norm::setToolVersion();
  norm::hideLibraryOptions();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  norm::registerAllDialects(registry);
  registerAllPasses();
  norm::registerAllPasses();
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context));
}

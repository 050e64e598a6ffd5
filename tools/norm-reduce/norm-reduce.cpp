//===- norm-reduce.cpp - mlir-reduce with the norm dialect and passes -----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "norm/Tools/Driver.h"

using namespace mlir;

int main(int argc, char **argv) {
  norm::setToolVersion();
  norm::hideLibraryOptions();
  norm::registerCompilerPasses();
  MLIRContext context(norm::createCompilerRegistry());
  return failed(mlirReduceMain(argc, argv, context));
}

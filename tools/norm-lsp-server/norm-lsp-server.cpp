//===- norm-lsp-server.cpp - mlir-lsp-server with the norm dialect --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "norm/Tools/Driver.h"

int main(int argc, char **argv) {
  mlir::norm::setToolVersion();
  mlir::norm::hideLibraryOptions();
  mlir::DialectRegistry registry = mlir::norm::createCompilerRegistry();
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}

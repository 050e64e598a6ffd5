//===- norm-lsp-server.cpp - mlir-lsp-server with the norm dialect --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoverSpec.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "norm/Tools/Driver.h"
#include <thread>
#include <unistd.h>

using namespace mlir;

/// Runs the server with its standard output behind forwardMessages.
static LogicalResult serve(int argc, char **argv, DialectRegistry &registry) {
  int ends[2];
  int out = dup(STDOUT_FILENO);
  if (out < 0 || pipe(ends) != 0) {
    llvm::errs() << "error: no pipe for the server's replies\n";
    return failure();
  }
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  std::thread forwarder([&] { norm::forwardMessages(ends[0], out); });
  LogicalResult result = MlirLspServerMain(argc, argv, registry);
  llvm::outs().flush();
  close(STDOUT_FILENO); // ends the forwarder's input
  forwarder.join();
  dup2(out, STDOUT_FILENO);
  close(out);
  return result;
}

/// Returns true for --help and --version, which print and exit inside of the
/// server and not through the pipe.
static bool printsAndExits(int argc, char **argv) {
  return llvm::any_of(ArrayRef(argv, argc), [](StringRef argument) {
    return argument.ltrim('-').starts_with("help") ||
           argument.ltrim('-') == "version";
  });
}

int main(int argc, char **argv) {
  norm::setToolVersion();
  norm::hideLibraryOptions();
  DialectRegistry registry = norm::createCompilerRegistry();
  if (printsAndExits(argc, argv))
    return failed(MlirLspServerMain(argc, argv, registry));
  return failed(serve(argc, argv, registry));
}

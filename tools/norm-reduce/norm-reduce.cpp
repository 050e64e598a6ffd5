//===- norm-reduce.cpp - mlir-reduce with the norm dialect and passes -----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Tools/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static int fail(const Twine &message) {
  llvm::WithColor::error() << message << "\n";
  return 1;
}

/// Takes the output file out of the arguments; empty without one.
static std::string takeOutput(SmallVectorImpl<std::string> &arguments) {
  std::string output;
  for (size_t i = 1; i < arguments.size();) {
    StringRef text = arguments[i];
    bool isApart = (text == "-o" || text == "--o") && i + 1 < arguments.size();
    if (isApart)
      output = arguments[i + 1];
    else if (text.consume_front("-o=") || text.consume_front("--o="))
      output = text.str();
    else {
      ++i;
      continue;
    }
    arguments.erase(arguments.begin() + i, arguments.begin() + i + 1 + isApart);
  }
  return output;
}

/// Reads the files before mlirReduceMain does, which a program may crash.
static bool canRead(ArrayRef<std::string> arguments) {
  for (StringRef argument : arguments.drop_front()) {
    if (argument.starts_with("-") || !llvm::sys::fs::is_regular_file(argument))
      continue;
    MLIRContext context(norm::createCompilerRegistry());
    llvm::SourceMgr sources;
    SourceMgrDiagnosticHandler handler(sources, &context);
    if (!norm::parseInputFile(argument, sources, context))
      return false;
  }
  return true;
}

static int reduce(ArrayRef<std::string> arguments) {
  if (!canRead(arguments))
    return 1;
  SmallVector<char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  MLIRContext context(norm::createCompilerRegistry());
  return failed(mlirReduceMain(arguments.size(), pointers.data(), context));
}

int main(int argc, char **argv) {
  norm::setToolVersion();
  norm::hideLibraryOptions();
  norm::registerCompilerPasses();
  // mlirReduceMain writes while it works, and removes what it could not write.
  SmallVector<std::string> arguments(argv, argv + argc);
  std::string output = takeOutput(arguments);
  if (output.empty() || output == "-")
    return reduce(arguments);
  SmallString<128> temporary;
  if (auto error =
          llvm::sys::fs::createTemporaryFile("norm-reduce", "mlir", temporary))
    return fail(temporary + ": " + error.message());
  llvm::FileRemover remover(temporary);
  arguments.append({"-o", temporary.str().str()});
  if (int status = reduce(arguments))
    return status;
  auto content = llvm::MemoryBuffer::getFile(temporary);
  if (!content)
    return fail(temporary + ": " + content.getError().message());
  if (auto error = norm::writeOutputFile(output, (*content)->getBuffer()))
    return fail(llvm::toString(std::move(error)));
  return 0;
}

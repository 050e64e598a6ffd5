//===- Compile.cpp - C API of the compiler --------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm-c/Compile.h"
#include "Status.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Verifier.h"
#include "norm/Compiler/Compile.h"
#include "norm/Tools/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace mlir;
using namespace mlir::norm;

static std::optional<Emit> getEmit(unsigned output) {
  switch (output) {
  case NORM_OUTPUT_OBJECT:
    return Emit::Object;
  case NORM_OUTPUT_SHARED:
    return Emit::Shared;
  case NORM_OUTPUT_ASSEMBLY:
    return Emit::Assembly;
  case NORM_OUTPUT_LLVM_IR:
    return Emit::LLVMIR;
  case NORM_OUTPUT_HEADER:
    return Emit::Header;
  case NORM_OUTPUT_PTX:
    return Emit::PTX;
  }
  return std::nullopt;
}

/// Sets an option; an empty string leaves the default.
static void set(std::string &option, MlirStringRef given) {
  if (given.length > 0)
    option = unwrap(given).str();
}

static CompileOptions getOptions(const NormCompileOptions &options, Emit emit,
                                 Rounding rounding) {
  CompileOptions result;
  set(result.target, options.target);
  result.emit = emit;
  result.machine = {unwrap(options.triple).str(), unwrap(options.cpu).str(),
                    unwrap(options.features).str()};
  set(result.chip, options.chip);
  set(result.cudaPath, options.cudaPath);
  result.rounding = rounding;
  result.threads = std::max(options.threads, 1u);
  result.dispatch = options.dispatch;
  return result;
}

static NormStatus readFile(StringRef file, NormBuffer *buffer,
                           NormError *error) {
  auto bytes = llvm::MemoryBuffer::getFile(file);
  if (!bytes)
    return finish(error, NORM_FAILED, file + ": " + bytes.getError().message());
  buffer->size = (*bytes)->getBufferSize();
  auto *data = static_cast<char *>(malloc(buffer->size + 1));
  if (!data)
    return finish(error, NORM_FAILED, "out of memory");
  memcpy(data, (*bytes)->getBufferStart(), buffer->size);
  data[buffer->size] = 0;
  buffer->data = data;
  return finish(error, NORM_SUCCESS);
}

NormStatus normCompile(MlirModule module, const NormCompileOptions *options,
                       NormBuffer *buffer, NormError *error) {
  if (!buffer)
    return finish(error, NORM_INVALID_ARGUMENT, "buffer must not be null");
  *buffer = {nullptr, 0};
  if (mlirModuleIsNull(module) || !options)
    return finish(error, NORM_INVALID_ARGUMENT,
                  "module and options must not be null");
  std::optional<Emit> emit = getEmit(getNumber(options->output));
  if (!emit)
    return finish(error, NORM_INVALID_ARGUMENT, "output is none of NormOutput");
  if (options->threads > kMostThreads)
    return finish(error, NORM_INVALID_ARGUMENT, "threads must be up to 1024");
  auto rounding = parseRounding(options->rounding);
  if (!rounding)
    return finish(error, NORM_INVALID_ARGUMENT,
                  llvm::toString(rounding.takeError()));

  MLIRContext *context = unwrap(module).getContext();
  context->appendDialectRegistry(createCompilerRegistry());
  ErrorCollector errors(context);
  if (failed(verify(unwrap(module))))
    return errors.finish(error, NORM_INVALID_IR);
  SmallString<128> file;
  if (auto code = llvm::sys::fs::createTemporaryFile("norm", "out", file))
    return finish(error, NORM_FAILED, "temporary file: " + code.message());
  llvm::scope_exit removeFile([&] { llvm::sys::fs::remove(file); });
  OwningOpRef<ModuleOp> copy(unwrap(module).clone());
  if (failed(emitFile(*copy, getOptions(*options, *emit, *rounding), file)))
    return errors.finish(error, NORM_FAILED);
  return readFile(file, buffer, error);
}

void normBufferDestroy(NormBuffer *buffer) {
  if (!buffer)
    return;
  free(buffer->data);
  *buffer = {nullptr, 0};
}

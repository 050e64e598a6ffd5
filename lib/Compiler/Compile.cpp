//===- Compile.cpp - compile a module to a file ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/Compile.h"
#include "ScratchFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/Norm.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::norm;

static LogicalResult reportError(ModuleOp module, std::error_code error,
                                 StringRef file) {
  return reportError(module,
                     llvm::createStringError(file + ": " + error.message()));
}

/// Returns the pipeline stage whose IR is written; nullopt for other outputs.
static std::optional<Stage> getStage(Emit emit) {
  switch (emit) {
  case Emit::Norm:
    return Stage::Norm;
  case Emit::Linalg:
    return Stage::Linalg;
  case Emit::Vector:
    return Stage::Vector;
  case Emit::LLVMDialect:
    return Stage::LLVM;
  default:
    return std::nullopt;
  }
}

/// Calls `write`, and fills a file if that succeeds.
static LogicalResult
writeFile(ModuleOp module, StringRef output,
          function_ref<LogicalResult(raw_ostream &)> write) {
  std::string content;
  llvm::raw_string_ostream os(content);
  if (failed(write(os)))
    return failure();
  return reportError(module, writeOutputFile(output, content));
}

/// Links to a temporary file, because the linker replaces what is no file.
static LogicalResult writeShared(ModuleOp module, const Target &target,
                                 const CompileOptions &options,
                                 StringRef output) {
  if (output == "-")
    return module.emitError("--emit=shared needs an output file (-o)");
  std::string object;
  llvm::raw_string_ostream os(object);
  if (failed(target.writeCode(module, options, Emit::Object, os)))
    return failure();
  SmallString<128> objectFile, linked;
  int descriptor;
  if (auto error = llvm::sys::fs::createTemporaryFile("norm", "o", descriptor,
                                                      objectFile))
    return reportError(module, error, objectFile);
  ScratchFile removeObject(objectFile);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << object;
  if (auto error = llvm::sys::fs::createTemporaryFile("norm", "so", linked))
    return reportError(module, error, linked);
  ScratchFile removeLinked(linked);
  auto machine = createTargetMachine(options.machine);
  if (!machine)
    return reportError(module, machine.takeError());
  if (failed(reportError(module, linkShared(objectFile, linked,
                                            (*machine)->getTargetTriple(),
                                            target.getLinkOptions(options)))))
    return failure();
  auto content = llvm::MemoryBuffer::getFile(linked);
  if (!content)
    return reportError(module, content.getError(), linked);
  return reportError(module, writeOutputFile(output, (*content)->getBuffer(),
                                             FileKind::Executable));
}

/// Lists the targets for which `holds` is true, as in " --target=cpu".
static std::string listTargets(function_ref<bool(const Target &)> holds) {
  std::string text;
  for (const Target *target : getTargets())
    if (holds(*target))
      text += (text.empty() ? "--target=" : " or --target=") +
              target->getName().str();
  return text;
}

/// Rejects outputs that the target cannot write and options of other targets.
static LogicalResult checkOptions(ModuleOp module, const Target &target,
                                  const CompileOptions &options) {
  if (!llvm::is_contained(target.getEmits(), options.emit))
    return module.emitError("--emit=")
           << stringifyEmit(options.emit) << " needs "
           << listTargets([&](const Target &other) {
                return llvm::is_contained(other.getEmits(), options.emit);
              });
  for (StringRef name : getGivenOptions(options))
    if (!llvm::is_contained(target.getOptions(), name))
      return module.emitError("--")
             << name << " needs " << listTargets([&](const Target &other) {
                  return llvm::is_contained(other.getOptions(), name);
                });
  return target.verify(module, options);
}

/// Rejects a program of which a caller could call nothing.
static LogicalResult checkExports(ModuleOp module) {
  return getExports(module).empty()
             ? module.emitError("has no public function to export")
             : success();
}

LogicalResult norm::emitFile(ModuleOp module, const CompileOptions &options,
                             StringRef output) {
  auto target = lookupTarget(options.target);
  if (!target)
    return reportError(module, target.takeError());
  std::optional<Stage> stage = getStage(options.emit);
  // A program may bring kernels alone.
  bool hasHost =
      !stage && options.emit != Emit::PTX && options.emit != Emit::Cubin;
  if (failed(checkOptions(module, **target, options)) ||
      (hasHost && failed(checkExports(module))))
    return failure();
  if (options.emit == Emit::Shared)
    return writeShared(module, **target, options, output);
  return writeFile(module, output, [&](raw_ostream &os) -> LogicalResult {
    if (options.emit == Emit::Header)
      return (*target)->writeHeader(module, os);
    if (!stage)
      return (*target)->writeCode(module, options, options.emit, os);
    if (failed(lowerModule(module, **target, options, *stage)))
      return failure();
    module.print(os);
    os << '\n';
    return success();
  });
}

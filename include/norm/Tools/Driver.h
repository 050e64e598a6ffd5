//===- Driver.h - what the tools share --------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_DRIVER_H
#define NORM_TOOLS_DRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

namespace llvm::cl {
class OptionCategory;
} // namespace llvm::cl

namespace mlir::norm {
/// Upstream's dialects and extensions, ours, and the translations to LLVM IR:
/// what every tool has.
DialectRegistry createCompilerRegistry();

/// Upstream's passes and pipelines and ours, by name.
void registerCompilerPasses();

/// MLIR's parser is recursive and has no limit: some thousands of brackets end
/// the process. Clang's -fbracket-depth has this default.
constexpr size_t kMaxNesting = 256;
constexpr llvm::StringLiteral kDeepNestingMessage =
    "brackets are nested more than 256 deep";

/// Line and column, from 1, of the first bracket in MLIR's text that is nested
/// deeper; nothing for bytecode.
std::optional<std::pair<unsigned, unsigned>> findDeepNesting(StringRef text);

/// Prints that place as an error.
LogicalResult checkNesting(llvm::MemoryBufferRef buffer);

/// Runs what reads `file`. Upstream's parser, bytecode reader and verifiers
/// crash on some malformed programs: then an error names the file, and the
/// process ends with status 1. For tools: it catches signals.
void readSafely(StringRef file, llvm::function_ref<void()> read);

/// Adds norm's dialects, upstream's are the caller's, and the translations to
/// LLVM IR; then parses `file` ("-": standard input) and verifies it. Errors
/// are printed with their location, and null is returned.
OwningOpRef<ModuleOp> parseInputFile(StringRef file, llvm::SourceMgr &sources,
                                     MLIRContext &context);

/// Takes a command-line option's name away from the LLVM library that
/// registered it (libLLVM has a global --threads). Call it while static objects
/// are made, before the tool's own option of that name.
bool releaseLibraryOption(StringRef name);

/// `--version` prints norm-mlir's, LLVM's and the host.
void setToolVersion();

/// `--help` leaves out what is registered so far, `--help-hidden` does not: the
/// options of LLVM's libraries, where a tool registers its own in `main`.
void hideLibraryOptions();

/// Registers MLIR's options of pass managers (`--mlir-timing`,
/// `--mlir-print-ir-after-all` and so on), listed by `--help` under `category`.
void registerPassOptions(llvm::cl::OptionCategory &category);

} // namespace mlir::norm

#endif // NORM_TOOLS_DRIVER_H

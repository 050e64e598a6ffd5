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
#include "norm/Pipelines/Pipelines.h"
#include "llvm/Support/SourceMgr.h"

namespace llvm::cl {
class OptionCategory;
} // namespace llvm::cl

namespace mlir::norm {
/// Returns the dialects, extensions and translations to LLVM IR of every tool.
DialectRegistry createCompilerRegistry();

/// Registers all passes and pipelines, upstream's and ours.
void registerCompilerPasses();

/// The limit on nested brackets, as Clang's -fbracket-depth. MLIR's recursive
/// parser has none, so thousands of brackets crash it.
constexpr size_t kMaxNesting = 256;
constexpr llvm::StringLiteral kDeepNestingMessage =
    "brackets are nested more than 256 deep";

/// Returns line and column, both from 1, of the first bracket in MLIR text that
/// is nested deeper than the limit; nullopt for bytecode.
std::optional<std::pair<unsigned, unsigned>> findDeepNesting(StringRef text);

/// Prints an error at that place and fails if there is one.
LogicalResult checkNesting(llvm::MemoryBufferRef buffer);

/// Runs `read`, which reads `file`. Upstream's parser, bytecode reader and
/// verifiers crash on some malformed programs; then an error names the file and
/// the process exits with 1. It catches signals, so only tools may use it.
void readSafely(StringRef file, llvm::function_ref<void()> read);

/// Parses and verifies `file` ("-" is standard input), after adding norm's
/// dialects and the translations to LLVM IR; upstream's dialects are the
/// caller's. Prints errors with their locations and returns null on failure.
OwningOpRef<ModuleOp> parseInputFile(StringRef file, llvm::SourceMgr &sources,
                                     MLIRContext &context);

constexpr llvm::StringLiteral kThreadsMessage =
    "--threads must be from 1 to 1024, --ranks from 0 to 1024";

/// Frees a command-line option's name that an LLVM library has registered
/// (libLLVM has a global --threads). Call it during static initialization,
/// before the tool registers its own option of that name.
bool releaseLibraryOption(StringRef name);

/// Makes `--version` print the versions of norm-mlir and LLVM, and the host.
void setToolVersion();

/// Hides the options registered so far, those of LLVM's libraries, from
/// `--help` but not `--help-hidden`. Call it before registering the tool's own.
void hideLibraryOptions();

/// Registers MLIR's pass manager options (`--mlir-timing`,
/// `--mlir-print-ir-after-all` and so on), listed by `--help` under `category`.
void registerPassOptions(llvm::cl::OptionCategory &category);

} // namespace mlir::norm

#endif // NORM_TOOLS_DRIVER_H

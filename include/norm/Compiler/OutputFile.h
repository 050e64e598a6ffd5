//===- OutputFile.h - files that the user names -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_OUTPUTFILE_H
#define NORM_COMPILER_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::norm {

enum class FileKind { Data, Executable };

/// Writes `content` to `file`, where "-" is standard output. A regular file is
/// replaced at once and keeps its permissions, also through a symbolic link;
/// what is no regular file (a device, a pipe) stays and is written to. After an
/// error, which names the file, a regular file is as it was.
llvm::Error writeOutputFile(llvm::StringRef file, llvm::StringRef content,
                            FileKind kind = FileKind::Data);

/// What a command line names: an option, or "the input", and its file.
struct NamedFile {
  llvm::StringRef option, file;
};

/// Returns an error if an output is the same file as an input or as another
/// output, whatever the spelling. Empty names and devices are none.
llvm::Error checkOutputFiles(llvm::ArrayRef<NamedFile> inputs,
                             llvm::ArrayRef<NamedFile> outputs);

/// Returns an error if `file` can be no input: a directory, or a device, which
/// may have no end. Whether it exists is for its reader to find.
llvm::Error checkInputFile(llvm::StringRef file);

} // namespace mlir::norm

#endif // NORM_COMPILER_OUTPUTFILE_H

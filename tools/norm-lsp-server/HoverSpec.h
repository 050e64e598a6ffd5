//===- HoverSpec.h - the specification in an editor's hover -----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_LSP_SERVER_HOVERSPEC_H
#define NORM_TOOLS_NORM_LSP_SERVER_HOVERSPEC_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::norm {

/// Adds the op's text of NormOps.td to an LSP message (JSON) that is a hover
/// over a norm op, after the op's name. Returns other messages unchanged.
std::string addSpecToHover(llvm::StringRef message);

/// Reads framed LSP messages from descriptor `from` until it ends and writes
/// them to `to` after addSpecToHover.
void forwardMessages(int from, int to);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_LSP_SERVER_HOVERSPEC_H

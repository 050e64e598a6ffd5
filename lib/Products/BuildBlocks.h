//===- BuildBlocks.h - blocks of columns of products ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_BUILDBLOCKS_H
#define NORM_LIB_PRODUCTS_BUILDBLOCKS_H

#include "PackOperands.h"
#include "ProductPlan.h"

namespace mlir::norm {

/// Puts `anchor`, an elementwise op behind products that are marked for blocks
/// or for few rows, into loops over blocks of columns, and these products into
/// the blocks. The copies of A are shared with those in `copies`.
LogicalResult buildBlocks(IRRewriter &b, linalg::GenericOp anchor,
                          const ProductPlan &plan, CopyMap &copies);

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_BUILDBLOCKS_H

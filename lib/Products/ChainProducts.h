//===- ChainProducts.h - products of what products give ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_CHAINPRODUCTS_H
#define NORM_LIB_PRODUCTS_CHAINPRODUCTS_H

#include "ProductPlan.h"

namespace mlir::norm {

/// Puts each product whose A is computed row by row from another product, such
/// as by the softmax of an attention, into a loop over blocks of rows, with all
/// of that: what is between the products stays in the caches.
void chainProducts(IRRewriter &b, Operation *scope, const ProductPlan &plan);

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_CHAINPRODUCTS_H

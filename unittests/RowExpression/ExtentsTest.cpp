//===- ExtentsTest.cpp - integers that a program computes from shapes -----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExpression/Extents.h"
#include "Program.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::norm::row;

namespace mlir::norm::row {
/// What a failed expectation prints.
static std::ostream &operator<<(std::ostream &os, const SymbolicCount &count) {
  os << count.factor;
  for (auto [value, dim] : count.symbols)
    os << " * " << value << "[" << dim << "]";
  return os;
}
} // namespace mlir::norm::row

/// The integers that a function returns, whose arguments are
///   %x: tensor<?x?xf32>, %i: index, %b: i8, %s: i32, %l: i64
class ExtentsTest : public testing::Test {
protected:
  void parse(StringRef body, StringRef returned, StringRef types) {
    std::string text =
        ("func.func @f(%x: tensor<?x?xf32>, %i: index, %b: i8, %s: i32,\n"
         "             %l: i64) -> (" +
         types +
         ") {\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %c1 = arith.constant 1 : index\n"
         "  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>\n"
         "  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>\n" +
         body + "\n  return " + returned + " : " + types + "\n}\n")
            .str();
    program.emplace(text);
  }
  SymbolicCount integer(unsigned i = 0) {
    return extents.getInteger(program->getReturned(i));
  }
  SymbolicCount extent(int64_t dim, unsigned i = 0) {
    return extents.getExtent(program->getReturned(i), dim);
  }
  SymbolicCount constant(int64_t value) { return SymbolicCount::get(value); }
  SymbolicCount argument(unsigned i) {
    return SymbolicCount::getSymbol(program->getArgument(i), -1);
  }
  SymbolicCount dimOfX(int64_t dim) {
    return SymbolicCount::getSymbol(program->getArgument(0), dim);
  }
  SymbolicCount own(unsigned i = 0) {
    return SymbolicCount::getSymbol(program->getReturned(i), -1);
  }
  bool isHeld(const SymbolicCount &count, unsigned width) {
    return isHeldBy(count, IntegerType::get(program->getContext(), width));
  }

  std::optional<Program> program;
  Extents extents;
  static constexpr unsigned kX = 0, kI = 1, kB = 2, kS = 3, kL = 4;
};

//===----------------------------------------------------------------------===//
// Products and what holds them
//===----------------------------------------------------------------------===//

TEST_F(ExtentsTest, ProductsAreSortedAndBounded) {
  parse("", "%d0, %d1", "index, index");
  SymbolicCount d0 = dimOfX(0), d1 = dimOfX(1);
  EXPECT_EQ(d0.times(d1), d1.times(d0));
  EXPECT_EQ(d0.times(constant(0)), constant(0));
  EXPECT_EQ(constant(INT64_MAX).times(constant(2)), std::nullopt);
  SymbolicCount product;
  for (size_t i = 0; i < SymbolicCount::kMaxSymbols; ++i)
    product = *product.times(d0);
  EXPECT_EQ(product.times(d0), std::nullopt);
  EXPECT_NE(product.times(constant(2)), std::nullopt);
}

TEST_F(ExtentsTest, ConstantsAreHeldAsSignedAndAsUnsigned) {
  parse("", "%d0", "index");
  EXPECT_TRUE(isHeld(constant(127), 8));
  EXPECT_FALSE(isHeld(constant(128), 8));
  EXPECT_FALSE(isHeld(constant(-1), 8));
  EXPECT_FALSE(isHeld(constant(-1), 64));
  EXPECT_TRUE(isHeld(constant(0), 1));
  EXPECT_FALSE(isHeld(constant(1), 1));
  EXPECT_TRUE(isHeld(constant(INT64_MAX), 64));
  EXPECT_TRUE(isHeld(constant(INT64_MAX), 128));
}

TEST_F(ExtentsTest, AnExtentIsHeldBy32Bits) {
  parse("", "%d0", "index");
  SymbolicCount d0 = dimOfX(0);
  EXPECT_FALSE(isHeld(d0, 16));
  EXPECT_TRUE(isHeld(d0, 32));
  EXPECT_FALSE(isHeld(*d0.times(constant(2)), 32));
  EXPECT_FALSE(isHeld(*d0.times(constant(-1)), 64));
  EXPECT_TRUE(isHeld(*d0.times(constant(1LL << 32)), 64));
  EXPECT_FALSE(isHeld(*d0.times(constant((1LL << 32) + 1)), 64));
  EXPECT_TRUE(isHeldBy(d0, IndexType::get(program->getContext())));
}

TEST_F(ExtentsTest, AnIntegerIsHeldByItsOwnWidth) {
  parse("", "%d0", "index");
  EXPECT_FALSE(isHeld(argument(kB), 8)); // 200 is no extent read as signed
  EXPECT_TRUE(isHeld(argument(kS), 32));
  EXPECT_FALSE(isHeld(argument(kI), 32));
  EXPECT_FALSE(isHeld(argument(kL), 32));
  EXPECT_TRUE(isHeld(argument(kL), 64));
}

TEST_F(ExtentsTest, ProductsAreHeldIfOneTensorHasThem) {
  program.emplace("func.func @f(%x: tensor<?x?x?x16xf32>) { return }");
  SymbolicCount d0 = dimOfX(0), d1 = dimOfX(1), d2 = dimOfX(2);
  SymbolicCount all = *d0.times(*d1.times(d2));
  EXPECT_TRUE(isHeld(*d0.times(d1), 63));
  EXPECT_FALSE(isHeld(*d0.times(d1), 32));
  EXPECT_TRUE(isHeld(all, 64));
  EXPECT_TRUE(isHeld(*all.times(constant(16)), 64));
  EXPECT_FALSE(isHeld(*all.times(constant(17)), 64));
  EXPECT_FALSE(isHeld(*d0.times(*d0.times(d0)), 64));
}

//===----------------------------------------------------------------------===//
// Constants, and what is computed from them
//===----------------------------------------------------------------------===//

TEST_F(ExtentsTest, ConstantsAreReadAsSigned) {
  parse("%a = arith.constant 7 : index\n %c = arith.constant -4 : i8\n"
        "%t = arith.constant true",
        "%a, %c, %t", "index, i8, i1");
  EXPECT_EQ(integer(0), constant(7));
  EXPECT_EQ(integer(1), constant(-4));
  EXPECT_EQ(integer(2), constant(-1));
}

TEST_F(ExtentsTest, WideConstantsAreNotCut) {
  parse("%a = arith.constant 18446744073709551648 : i128\n"
        "%c = arith.constant -5 : i128\n"
        "%p = arith.muli %a, %c : i128\n"
        "%m = arith.constant 4611686018427387904 : i128\n"
        "%q = arith.muli %m, %m : i128\n"
        "%t = arith.trunci %q : i128 to i64",
        "%a, %c, %p, %q, %t", "i128, i128, i128, i128, i64");
  EXPECT_EQ(integer(0), own(0));
  EXPECT_EQ(integer(1), constant(-5));
  EXPECT_EQ(integer(2), own(2));
  EXPECT_EQ(integer(3), own(3));
  EXPECT_EQ(integer(4), own(4)); // which wraps to 0, but %q is not known
}

TEST_F(ExtentsTest, ExtendedConstants) {
  parse("%n = arith.constant -4 : i8\n %t = arith.constant true\n"
        "%a = arith.extsi %n : i8 to i32\n %c = arith.extui %n : i8 to i32\n"
        "%d = arith.index_cast %n : i8 to index\n"
        "%e = arith.index_castui %n : i8 to index\n"
        "%g = arith.extui %t : i1 to i64\n %h = arith.extsi %t : i1 to i64\n"
        "%k = arith.constant -1 : i64\n"
        "%m = arith.extui %k : i64 to i128",
        "%a, %c, %d, %e, %g, %h, %m", "i32, i32, index, index, i64, i64, i128");
  EXPECT_EQ(integer(0), constant(-4));
  EXPECT_EQ(integer(1), constant(252));
  EXPECT_EQ(integer(2), constant(-4));
  EXPECT_EQ(integer(3), constant(252));
  EXPECT_EQ(integer(4), constant(1));
  EXPECT_EQ(integer(5), constant(-1));
  EXPECT_EQ(integer(6), own(6)); // 2^64 - 1
}

TEST_F(ExtentsTest, CutConstants) {
  parse("%n = arith.constant 300 : i32\n %i300 = arith.constant 300 : index\n"
        "%a = arith.trunci %n : i32 to i8\n"
        "%c = arith.index_cast %i300 : index to i8\n"
        "%m = arith.constant 252 : i32\n %d = arith.trunci %m : i32 to i8\n"
        "%e = arith.extui %d : i8 to i32",
        "%a, %c, %d, %e", "i8, i8, i8, i32");
  EXPECT_EQ(integer(0), constant(44));
  EXPECT_EQ(integer(1), constant(44));
  EXPECT_EQ(integer(2), constant(-4));
  EXPECT_EQ(integer(3), constant(252));
}

TEST_F(ExtentsTest, ArithmeticOfConstantsWraps) {
  parse("%n = arith.constant 300 : i16\n %u = arith.constant -4 : i8\n"
        "%one = arith.constant 1 : i8\n %big = arith.constant 127 : i8\n"
        "%a = arith.muli %n, %n : i16\n %c = arith.addi %big, %one : i8\n"
        "%d = arith.subi %u, %one : i8\n %e = arith.maxsi %u, %one : i8\n"
        "%g = arith.maxui %u, %one : i8\n"
        "%m = arith.constant 4611686018427387904 : i64\n"
        "%h = arith.muli %m, %m : i64",
        "%a, %c, %d, %e, %g, %h", "i16, i8, i8, i8, i8, i64");
  EXPECT_EQ(integer(0), constant(24464));
  EXPECT_EQ(integer(1), constant(-128));
  EXPECT_EQ(integer(2), constant(-5));
  EXPECT_EQ(integer(3), constant(1));
  EXPECT_EQ(integer(4), constant(-4));
  EXPECT_EQ(integer(5), constant(0));
}

//===----------------------------------------------------------------------===//
// Integers that are only known at run time
//===----------------------------------------------------------------------===//

TEST_F(ExtentsTest, CastsKeepExtents) {
  parse("%a = arith.index_cast %d1 : index to i32\n"
        "%c = arith.extui %a : i32 to i64\n %d = arith.trunci %c : i64 to i32\n"
        "%e = arith.extsi %d : i32 to i64\n"
        "%g = arith.index_castui %e : i64 to index\n"
        "%h = arith.index_castui %g : index to i16\n"
        "%k = arith.extui %c : i64 to i128",
        "%g, %h, %k", "index, i16, i128");
  EXPECT_EQ(integer(0), dimOfX(1));
  EXPECT_EQ(integer(1), own(1));
  EXPECT_EQ(integer(2), dimOfX(1));
}

TEST_F(ExtentsTest, ASignChangeOfANarrowIntegerIsAnotherInteger) {
  parse("%a = arith.extsi %b : i8 to i32\n %c = arith.extui %b : i8 to i32\n"
        "%d = arith.index_cast %b : i8 to index\n"
        "%e = arith.index_castui %b : i8 to index\n"
        "%g = arith.extui %s : i32 to i64\n %t = arith.trunci %l : i64 to i32",
        "%a, %c, %d, %e, %g, %t", "i32, i32, index, index, i64, i32");
  EXPECT_EQ(integer(0), argument(kB));
  EXPECT_EQ(integer(1), own(1));
  EXPECT_EQ(integer(2), argument(kB));
  EXPECT_EQ(integer(3), own(3));
  EXPECT_EQ(integer(4), argument(kS)); // no extent is 2^31
  EXPECT_EQ(integer(5), own(5));       // 2^32 + 8 becomes an extent of 8
}

TEST_F(ExtentsTest, ProductsOfExtents) {
  parse(
      "%a = arith.index_cast %d0 : index to i64\n"
      "%c = arith.index_cast %d1 : index to i64\n"
      "%d = arith.muli %c, %a : i64\n %e = arith.trunci %a : i64 to i32\n"
      "%g = arith.muli %e, %e : i32\n"
      "%four = arith.constant 4 : index\n %h = arith.muli %four, %d0 : index\n"
      "%k = arith.muli %l, %a : i64\n %z = arith.constant 0 : i64\n"
      "%m = arith.muli %l, %z : i64",
      "%d, %g, %h, %k, %m", "i64, i32, index, i64, i64");
  EXPECT_EQ(integer(0), dimOfX(0).times(dimOfX(1)));
  EXPECT_EQ(integer(1), own(1));
  EXPECT_EQ(integer(2), dimOfX(0).times(constant(4)));
  EXPECT_EQ(integer(3), own(3)); // an i64 may be so large that it wraps
  EXPECT_EQ(integer(4), constant(0));
}

TEST_F(ExtentsTest, OtherArithmeticIsASymbol) {
  parse("%a = arith.addi %d0, %c1 : index\n"
        "%c = arith.divsi %d0, %d1 : index\n"
        "%d = arith.ceildivsi %c1, %c1 : index\n"
        "%e = tensor.dim %x, %i : tensor<?x?xf32>",
        "%a, %c, %d, %e", "index, index, index, index");
  for (unsigned i : {0, 1, 2, 3})
    EXPECT_EQ(integer(i), own(i));
}

TEST_F(ExtentsTest, AffineApplies) {
  parse("%a = affine.apply affine_map<(d0) -> (d0)>(%d1)\n"
        "%c = affine.apply affine_map<()[s0] -> (s0 * 1)>()[%d1]\n"
        "%d = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%d1, %d0]\n"
        "%e = affine.apply affine_map<(d0)[s0] -> (d0 * 4)>(%d0)[%d1]\n"
        "%g = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%d0)[%d1]\n"
        "%h = affine.apply affine_map<(d0)[s0] -> (d0 + s0 - d0)>(%d0)[%d1]\n"
        "%k = affine.apply affine_map<() -> (12)>()\n"
        "%m = affine.apply affine_map<(d0) -> (d0 * -1)>(%d0)",
        "%a, %c, %d, %e, %g, %h, %k, %m",
        "index, index, index, index, index, index, index, index");
  EXPECT_EQ(integer(0), dimOfX(1));
  EXPECT_EQ(integer(1), dimOfX(1));
  EXPECT_EQ(integer(2), dimOfX(0).times(dimOfX(1)));
  EXPECT_EQ(integer(3), dimOfX(0).times(constant(4)));
  EXPECT_EQ(integer(4), own(4));
  EXPECT_EQ(integer(5), dimOfX(1));
  EXPECT_EQ(integer(6), constant(12));
  EXPECT_EQ(integer(7), own(7));
}

TEST_F(ExtentsTest, AtLeastOneElementIsDividedBy) {
  parse(
      "%a = arith.maxsi %d1, %c1 : index\n %c = arith.maxui %c1, %d1 : index\n"
      "%d = affine.max affine_map<(d0) -> (1, d0)>(%d1)\n"
      "%e = arith.index_cast %a : index to i64\n"
      "%two = arith.constant 2 : index\n"
      "%g = arith.maxsi %d1, %two : index\n %h = arith.maxsi %i, %c1 : index\n"
      "%k = affine.max affine_map<(d0)[s0] -> (s0, d0)>(%d1)[%d0]",
      "%a, %c, %d, %e, %g, %h, %k",
      "index, index, index, i64, index, index, index");
  for (unsigned i : {0, 1, 2, 3})
    EXPECT_EQ(integer(i), dimOfX(1));
  for (unsigned i : {4, 5, 6})
    EXPECT_EQ(integer(i), own(i));
}

TEST_F(ExtentsTest, ATensorOfAtLeastOneElementIsNotEmpty) {
  parse("%a = arith.maxsi %d1, %c1 : index\n"
        "%e = tensor.empty(%d0, %a) : tensor<?x?xf32>\n"
        "%c = tensor.dim %e, %c1 : tensor<?x?xf32>",
        "%e, %a, %c", "tensor<?x?xf32>, index, index");
  EXPECT_EQ(extent(1), own(1));
  EXPECT_EQ(integer(1), dimOfX(1));
  EXPECT_EQ(integer(2), own(1));
}

//===----------------------------------------------------------------------===//
// Extents of tensors
//===----------------------------------------------------------------------===//

TEST_F(ExtentsTest, StaticAndUnknownExtents) {
  program.emplace("func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
                  "  return %x : tensor<?x8xf32>\n}");
  EXPECT_EQ(extent(0), dimOfX(0));
  EXPECT_EQ(extent(1), constant(8));
}

TEST_F(ExtentsTest, EmptyCastAndDestination) {
  parse("%zero = arith.constant 0.0 : f32\n %c8 = arith.constant 8 : index\n"
        "%e = tensor.empty(%d1, %i) : tensor<?x?xf32>\n"
        "%y = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>)"
        " -> tensor<?x?xf32>\n"
        "%n = tensor.empty(%d1, %c8) : tensor<?x?xf32>\n"
        "%z = tensor.cast %n : tensor<?x?xf32> to tensor<?x8xf32>\n"
        "%w = tensor.cast %z : tensor<?x8xf32> to tensor<?x?xf32>\n"
        "%v = tensor.insert_slice %x into %y[0, 0] [%d0, %d1] [1, 1]"
        " : tensor<?x?xf32> into tensor<?x?xf32>",
        "%y, %w, %v", "tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>");
  EXPECT_EQ(extent(0, 0), dimOfX(1));
  EXPECT_EQ(extent(1, 0), argument(kI));
  EXPECT_EQ(extent(0, 1), dimOfX(1));
  EXPECT_EQ(extent(1, 1), constant(8));
  EXPECT_EQ(extent(1, 2), argument(kI));
}

TEST_F(ExtentsTest, AnUnrankedTensorSaysNothing) {
  parse("%u = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>\n"
        "%y = tensor.cast %u : tensor<*xf32> to tensor<?x?xf32>\n"
        "%d = tensor.dim %u, %c1 : tensor<*xf32>",
        "%y, %d", "tensor<?x?xf32>, index");
  EXPECT_EQ(extent(0), SymbolicCount::getSymbol(program->getReturned(0), 0));
  EXPECT_EQ(integer(1), own(1));
}

TEST_F(ExtentsTest, Reshapes) {
  parse("%y = tensor.expand_shape %x [[0], [1, 2, 3]]"
        " output_shape [%d0, %i, 4, %d1]"
        " : tensor<?x?xf32> into tensor<?x?x4x?xf32>\n"
        "%z = tensor.collapse_shape %y [[0, 1], [2, 3]]"
        " : tensor<?x?x4x?xf32> into tensor<?x?xf32>",
        "%y, %z", "tensor<?x?x4x?xf32>, tensor<?x?xf32>");
  EXPECT_EQ(extent(0, 0), dimOfX(0));
  EXPECT_EQ(extent(1, 0), argument(kI));
  EXPECT_EQ(extent(3, 0), dimOfX(1));
  EXPECT_EQ(extent(0, 1), dimOfX(0).times(argument(kI)));
  EXPECT_EQ(extent(1, 1), dimOfX(1).times(constant(4)));
}

TEST_F(ExtentsTest, SlicesAlsoOfLowerRank) {
  parse("%y = tensor.extract_slice %x[0, 0] [%i, %d0] [1, 1]"
        " : tensor<?x?xf32> to tensor<?x?xf32>\n"
        "%z = tensor.extract_slice %x[0, 0] [1, %i] [1, 1]"
        " : tensor<?x?xf32> to tensor<?xf32>\n"
        "%w = tensor.extract_slice %x[0, 0] [%i, 1] [1, 1]"
        " : tensor<?x?xf32> to tensor<?xf32>",
        "%y, %z, %w", "tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>");
  EXPECT_EQ(extent(0, 0), argument(kI));
  EXPECT_EQ(extent(1, 0), dimOfX(0));
  EXPECT_EQ(extent(0, 1), argument(kI));
  EXPECT_EQ(extent(0, 2), argument(kI));
}

TEST_F(ExtentsTest, PaddingByZero) {
  parse("%zero = arith.constant 0.0 : f32\n"
        "%y = tensor.pad %x low[0, 0] high[%c0, 1] {\n"
        "^bb0(%p: index, %q: index):\n tensor.yield %zero : f32\n"
        "} : tensor<?x?xf32> to tensor<?x?xf32>",
        "%y", "tensor<?x?xf32>");
  EXPECT_EQ(extent(0), dimOfX(0));
  EXPECT_EQ(extent(1), SymbolicCount::getSymbol(program->getReturned(0), 1));
}

//===----------------------------------------------------------------------===//
// Long programs, and programs without a beginning
//===----------------------------------------------------------------------===//

TEST_F(ExtentsTest, SquaringManyTimes) {
  std::string body = "%p0 = arith.muli %d0, %d0 : index\n";
  for (int i = 0; i < 30; ++i)
    body +=
        llvm::formatv("%p{1} = arith.muli %p{0}, %p{0} : index\n", i, i + 1);
  parse(body, "%p0, %p30", "index, index");
  EXPECT_EQ(integer(0), dimOfX(0).times(dimOfX(0)));
  EXPECT_EQ(integer(1), own(1));
}

TEST_F(ExtentsTest, ALongChainOfDestinations) {
  std::string body = "%zero = arith.constant 0.0 : f32\n"
                     "%y0 = tensor.empty(%d0, %d1) : tensor<?x?xf32>\n";
  constexpr int kLength = 60000;
  for (int i = 0; i < kLength; ++i)
    body += llvm::formatv(
        "%e{1} = tensor.dim %y{0}, %c1 : tensor<?x?xf32>\n"
        "%g{1} = tensor.empty(%d0, %e{1}) : tensor<?x?xf32>\n"
        "%y{1} = linalg.fill ins(%zero : f32) outs(%g{1} : tensor<?x?xf32>)"
        " -> tensor<?x?xf32>\n",
        i, i + 1);
  parse(body, "%y60000, %e60000", "tensor<?x?xf32>, index");
  EXPECT_EQ(extent(1), dimOfX(1));
  EXPECT_EQ(integer(1), dimOfX(1));
}

TEST_F(ExtentsTest, ALongChainOfCasts) {
  std::string body = "%y0 = arith.index_cast %d0 : index to i64\n";
  constexpr int kLength = 60000;
  for (int i = 0; i < kLength; ++i)
    body += llvm::formatv("%z{0} = arith.index_cast %y{0} : i64 to index\n"
                          "%y{1} = arith.index_cast %z{0} : index to i64\n",
                          i, i + 1);
  parse(body, "%y60000", "i64");
  EXPECT_EQ(integer(), dimOfX(0));
}

TEST_F(ExtentsTest, ACycleInAnUnreachableBlock) {
  program.emplace("func.func @f(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {\n"
                  "  return %x : tensor<4x?xf32>\n"
                  "^bb1:\n"
                  "  %a = tensor.cast %b : tensor<4x?xf32> to tensor<?x?xf32>\n"
                  "  %b = tensor.cast %a : tensor<?x?xf32> to tensor<4x?xf32>\n"
                  "  return %b : tensor<4x?xf32>\n}");
  Value b = program->getReturned(0, 1);
  EXPECT_EQ(extents.getExtent(b, 1), SymbolicCount::getSymbol(b, 1));
  Value a = program->getOp<tensor::CastOp>();
  EXPECT_EQ(extents.getExtent(a, 1), SymbolicCount::getSymbol(b, 1));
  EXPECT_EQ(extents.getExtent(a, 0), constant(4));
}

TEST_F(ExtentsTest, CyclesInAGraphRegion) {
  // A module is one.
  program.emplace("%c2 = arith.constant 2 : i64\n"
                  "%a = arith.muli %b, %c2 : i64\n"
                  "%b = arith.extsi %c : i32 to i64\n"
                  "%c = arith.trunci %a : i64 to i32\n"
                  "%d = arith.muli %d, %d : i64\n");
  Value a = program->getOp<arith::MulIOp>(0);
  Value d = program->getOp<arith::MulIOp>(1);
  Value c = program->getOp<arith::TruncIOp>();
  EXPECT_EQ(extents.getInteger(a), SymbolicCount::getSymbol(a, -1));
  EXPECT_EQ(extents.getInteger(c), SymbolicCount::getSymbol(c, -1));
  EXPECT_EQ(extents.getInteger(d), SymbolicCount::getSymbol(d, -1));
}

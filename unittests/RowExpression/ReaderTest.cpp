//===- ReaderTest.cpp - read programs into row expressions ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExpressionTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::norm::row;

class ReaderTest : public RowExpressionTest {
protected:
  /// `ops` on %x: tensor<4x8xf32>, %y: tensor<?x?xf32>, %i: index, with %e and
  /// %es to write 4x8 and 4 elements to and %z4 of zeros.
  void parseTensors(const Twine &ops, StringRef returned, bool opens = true) {
    auto [values, types] = returned.split(" : ");
    parse(("#all = affine_map<(d0, d1) -> (d0, d1)>\n"
           "#row = affine_map<(d0, d1) -> (d0)>\n"
           "#transposed = affine_map<(d0, d1) -> (d1, d0)>\n"
           "func.func @f(%x: tensor<4x8xf32>, %y: tensor<?x?xf32>,"
           " %i: index) -> (" +
           types +
           ") {\n"
           "%zero = arith.constant 0.0 : f32\n"
           "%c0 = arith.constant 0 : index\n %c1 = arith.constant 1 : index\n"
           "%d0 = tensor.dim %y, %c0 : tensor<?x?xf32>\n"
           "%d1 = tensor.dim %y, %c1 : tensor<?x?xf32>\n"
           "%e = tensor.empty() : tensor<4x8xf32>\n"
           "%es = tensor.empty() : tensor<4xf32>\n"
           "%z4 = linalg.fill ins(%zero : f32) outs(%es : tensor<4xf32>)"
           " -> tensor<4xf32>\n" +
           ops + "\nreturn " + returned + "\n}")
              .str(),
          opens);
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

TEST_F(ReaderTest, AnElementIsALeafUntilItIsOpened) {
  parseTensors("%0 = linalg.exp ins(%x : tensor<4x8xf32>)"
               " outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>",
               "%0, %x : tensor<4x8xf32>, tensor<4x8xf32>", /*opens=*/false);
  EXPECT_EQ(elementText(1), "x[d0, d1]");
  auto *leaf = dyn_cast<ElementNode>(element(0));
  ASSERT_NE(leaf, nullptr);
  const Node *opened = reader->open(leaf);
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(toText(*opened), "\"math.exp\"(x[d0, d1])");
  EXPECT_EQ(reader->open(leaf), opened) << "it is read once";
  EXPECT_EQ(reader->open(cast<ElementNode>(element(1))), nullptr);
}

TEST_F(ReaderTest, OpsOfOneValueAreOneNode) {
  std::string ops;
  for (int i = 0; i < 2; ++i)
    ops += llvm::formatv("%{0} = linalg.square ins(%x : tensor<4x8xf32>)"
                         " outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>\n",
                         i);
  parseTensors(ops, "%0, %1 : tensor<4x8xf32>, tensor<4x8xf32>");
  EXPECT_EQ(element(0), element(1));
  EXPECT_EQ(elementText(), "(x[d0, d1] * x[d0, d1])");
  EXPECT_EQ(reader->getOccurrences(element(0)).size(), 2u);
}

TEST_F(ReaderTest, AUnitDimensionHasIndexZero) {
  parse("func.func @f(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {\n"
        "return %x : tensor<4x1xf32>\n}");
  EXPECT_EQ(elementText(), "x[d0, 0]");
}

TEST_F(ReaderTest, SplatConstants) {
  parse("func.func @f() -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>,"
        " tensor<2xf32>, tensor<4xi128>) {\n"
        "%0 = arith.constant dense<2.5> : tensor<4xf32>\n"
        "%1 = arith.constant dense<-3> : tensor<4xi32>\n"
        "%2 = arith.constant dense<true> : tensor<4xi1>\n"
        "%3 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "%4 = arith.constant dense<36893488147419103232> : tensor<4xi128>\n"
        "return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xi32>,"
        " tensor<4xi1>, tensor<2xf32>, tensor<4xi128>\n}");
  EXPECT_EQ(elementText(0), "2.5");
  EXPECT_EQ(elementText(1), "count(-3)");
  for (unsigned i : {2, 3, 4})
    EXPECT_TRUE(element(i)->is(Kind::Element)) << i;
}

TEST_F(ReaderTest, OneScalarInATensor) {
  parse("func.func @f(%x: f32, %y: f32)"
        " -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {\n"
        "%0 = tensor.splat %x : tensor<4xf32>\n"
        "%1 = tensor.from_elements %x, %x : tensor<2xf32>\n"
        "%2 = tensor.from_elements %x, %y : tensor<2xf32>\n"
        "return %0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>\n}");
  EXPECT_EQ(elementText(0), "x");
  EXPECT_EQ(elementText(1), "x");
  EXPECT_TRUE(cast<ElementNode>(element(2))->getIndices().size() == 1);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TEST_F(ReaderTest, CastsAreTheTensor) {
  parseTensors("%0 = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>\n"
               "%u = tensor.cast %x : tensor<4x8xf32> to tensor<*xf32>\n"
               "%1 = tensor.cast %u : tensor<*xf32> to tensor<4x8xf32>",
               "%0, %1 : tensor<?x8xf32>, tensor<4x8xf32>");
  EXPECT_EQ(elementText(0), "x[d0, d1]");
  EXPECT_TRUE(element(1)->is(Kind::Element));
  EXPECT_NE(cast<ElementNode>(element(1))->getValue(), program->getArgument(0));
}

TEST_F(ReaderTest, SlicesWithStridesAndDroppedDimensions) {
  parseTensors("%0 = tensor.extract_slice %x[1, 2] [3, 2] [1, 3]"
               " : tensor<4x8xf32> to tensor<3x2xf32>\n"
               "%1 = tensor.extract_slice %x[2, 0] [1, 8] [1, 1]"
               " : tensor<4x8xf32> to tensor<8xf32>",
               "%0, %1 : tensor<3x2xf32>, tensor<8xf32>", /*opens=*/false);
  EXPECT_EQ(elementText(0), "x[d0 + 1, d1 * 3 + 2]");
  EXPECT_EQ(elementText(1), "x[2, d2]");
}

TEST_F(ReaderTest, DynamicOffsetsAreSymbols) {
  parseTensors("%0 = tensor.extract_slice %x[0, %i] [4, 2] [1, 1]"
               " : tensor<4x8xf32> to tensor<4x2xf32>\n"
               "%1 = tensor.extract_slice %x[0, %i] [4, 2] [1, 1]"
               " : tensor<4x8xf32> to tensor<4x2xf32>\n"
               "%2 = tensor.extract_slice %x[0, %d0] [4, 2] [1, 1]"
               " : tensor<4x8xf32> to tensor<4x2xf32>\n"
               "%3 = tensor.extract_slice %x[0, 0] [4, 2] [1, %i]"
               " : tensor<4x8xf32> to tensor<4x2xf32>",
               "%0, %1, %2, %3 : tensor<4x2xf32>, tensor<4x2xf32>,"
               " tensor<4x2xf32>, tensor<4x2xf32>");
  EXPECT_EQ(elementText(0), "x[d0, d1 + s0]");
  EXPECT_EQ(element(0), element(1)) << "one value, one symbol";
  EXPECT_EQ(elementText(2), "x[d0, d1 + s1]");
  EXPECT_EQ(cast<ElementNode>(element(3))->getValue(), program->getReturned(3))
      << "a dynamic stride is not read";
}

TEST_F(ReaderTest, ReshapesAreDigits) {
  parseTensors("%0 = tensor.collapse_shape %x [[0, 1]]"
               " : tensor<4x8xf32> into tensor<32xf32>\n"
               "%1 = tensor.expand_shape %x [[0], [1, 2]]"
               " output_shape [4, 2, 4]"
               " : tensor<4x8xf32> into tensor<4x2x4xf32>",
               "%0, %1 : tensor<32xf32>, tensor<4x2x4xf32>");
  EXPECT_EQ(elementText(0), "x[d0 floordiv 8, d0 mod 8]");
  EXPECT_EQ(elementText(1), "x[d1, d2 * 4 + d3]");
}

TEST_F(ReaderTest, ThereAndBackIsTheTensor) {
  parseTensors("%0 = tensor.expand_shape %x [[0], [1, 2]]"
               " output_shape [4, 8, 1]"
               " : tensor<4x8xf32> into tensor<4x8x1xf32>\n"
               "%1 = tensor.collapse_shape %0 [[0], [1, 2]]"
               " : tensor<4x8x1xf32> into tensor<4x8xf32>",
               "%1 : tensor<4x8xf32>");
  EXPECT_EQ(elementText(), "x[d0, d1]");
}

TEST_F(ReaderTest, OnlyTheFirstExtentOfAReshapeMayBeDynamic) {
  parseTensors("%0 = tensor.collapse_shape %y [[0, 1]]"
               " : tensor<?x?xf32> into tensor<?xf32>\n"
               "%1 = tensor.expand_shape %y [[0], [1, 2]]"
               " output_shape [%d0, %i, 4]"
               " : tensor<?x?xf32> into tensor<?x?x4xf32>",
               "%0, %1 : tensor<?xf32>, tensor<?x?x4xf32>");
  EXPECT_TRUE(element(0)->is(Kind::Element));
  EXPECT_EQ(cast<ElementNode>(element(0))->getValue(), program->getReturned(0));
  EXPECT_EQ(elementText(1), "y[d2, d3 * 4 + d4]");
}

TEST_F(ReaderTest, TranspositionsAndBroadcasts) {
  parseTensors("%e0 = tensor.empty() : tensor<8x4xf32>\n"
               "%e1 = tensor.empty() : tensor<2x4x8xf32>\n"
               "%0 = linalg.transpose ins(%x : tensor<4x8xf32>)"
               " outs(%e0 : tensor<8x4xf32>) permutation = [1, 0]\n"
               "%1 = linalg.broadcast ins(%x : tensor<4x8xf32>)"
               " outs(%e1 : tensor<2x4x8xf32>) dimensions = [0]",
               "%0, %1 : tensor<8x4xf32>, tensor<2x4x8xf32>",
               /*opens=*/false);
  EXPECT_EQ(elementText(0), "x[d1, d0]");
  EXPECT_EQ(elementText(1), "x[d1, d3]") << "these are never leaves";
}

TEST_F(ReaderTest, ADynamicBroadcastThatIsDecidedAtRunTime) {
  parseTensors("%is1 = arith.cmpi eq, %d0, %c1 : index\n"
               "%0 = scf.if %is1 -> tensor<?x?xf32> {\n"
               "  %g = tensor.empty(%d1, %d1) : tensor<?x?xf32>\n"
               "  %r = linalg.generic {indexing_maps = ["
               "      affine_map<(d0, d1) -> (0, d1)>, #all],"
               "      iterator_types = [\"parallel\", \"parallel\"]}"
               "      ins(%y : tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) {\n"
               "  ^bb0(%in: f32, %out: f32):\n linalg.yield %in : f32\n"
               "  } -> tensor<?x?xf32>\n"
               "  scf.yield %r : tensor<?x?xf32>\n"
               "} else {\n scf.yield %y : tensor<?x?xf32>\n}",
               "%0 : tensor<?x?xf32>");
  auto *leaf = cast<ElementNode>(element());
  EXPECT_EQ(leaf->getValue(), program->getReturned(0))
      << "nothing says that the result is as long as the tensor";
  unsigned row = context->addVariable(ShapedType::kDynamic);
  context->getInfo(row).sources.push_back(
      context->getExtents().getExtent(program->getArgument(1), 0));
  const Node *node = reader->read(
      program->getReturned(0), {context->getIndex(row), leaf->getIndices()[1]});
  EXPECT_EQ(cast<ElementNode>(node)->getValue(), program->getArgument(1));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

TEST_F(ReaderTest, ABodyAtTheIndicesOfItsResult) {
  parseTensors("%g = tensor.empty() : tensor<8x4xf32>\n"
               "%0 = linalg.generic {indexing_maps = [#transposed, #all],"
               " iterator_types = [\"parallel\", \"parallel\"]}"
               " ins(%x : tensor<4x8xf32>) outs(%g : tensor<8x4xf32>) {\n"
               "^bb0(%in: f32, %out: f32):\n %n = arith.negf %in : f32\n"
               " linalg.yield %n : f32\n} -> tensor<8x4xf32>",
               "%0 : tensor<8x4xf32>");
  EXPECT_EQ(elementText(), "-(x[d1, d0])");
}

TEST_F(ReaderTest, WhatTheInitHolds) {
  parseTensors("%0 = linalg.generic {indexing_maps = [#all],"
               " iterator_types = [\"parallel\", \"parallel\"]}"
               " outs(%x : tensor<4x8xf32>) {\n"
               "^bb0(%out: f32):\n %n = arith.negf %out : f32\n"
               " linalg.yield %n : f32\n} -> tensor<4x8xf32>",
               "%0 : tensor<4x8xf32>");
  EXPECT_EQ(elementText(), "-(x[d0, d1])");
}

TEST_F(ReaderTest, PositionsAndExtractedElements) {
  parseTensors("%0 = linalg.generic {indexing_maps = [#all],"
               " iterator_types = [\"parallel\", \"parallel\"]}"
               " outs(%e : tensor<4x8xf32>) {\n"
               "^bb0(%out: f32):\n %r = linalg.index 0 : index\n"
               " %c = linalg.index 1 : index\n"
               " %v = tensor.extract %x[%r, %c] : tensor<4x8xf32>\n"
               " %w = tensor.extract %x[%i, %c1] : tensor<4x8xf32>\n"
               " %j = arith.index_cast %r : index to i32\n"
               " %p = arith.sitofp %j : i32 to f32\n"
               " %s = arith.addf %v, %w : f32\n %t = arith.addf %s, %p : f32\n"
               " linalg.yield %t : f32\n} -> tensor<4x8xf32>",
               "%0 : tensor<4x8xf32>");
  EXPECT_EQ(elementText(), "((x[d0, d1] + x[s0, 1]) + "
                           "\"arith.sitofp\"(\"arith.index_cast\"((d0))))");
}

TEST_F(ReaderTest, AnIndexThatTheBodyComputesIsNotRead) {
  parseTensors("%0 = linalg.generic {indexing_maps = [#all],"
               " iterator_types = [\"parallel\", \"parallel\"]}"
               " outs(%e : tensor<4x8xf32>) {\n"
               "^bb0(%out: f32):\n %r = linalg.index 0 : index\n"
               " %q = arith.muli %r, %r : index\n"
               " %v = tensor.extract %x[%q, %c1] : tensor<4x8xf32>\n"
               " linalg.yield %v : f32\n} -> tensor<4x8xf32>",
               "%0 : tensor<4x8xf32>");
  auto *leaf = dyn_cast<ElementNode>(element());
  ASSERT_NE(leaf, nullptr);
  EXPECT_NE(leaf->getValue(), program->getArgument(0));
  EXPECT_EQ(leaf->getIndices().size(), 2u) << "it differs in each iteration";
}

TEST_F(ReaderTest, ExtentsAreCountsInABody) {
  parseTensors("%n = arith.index_cast %d1 : index to i64\n"
               "%s = arith.sitofp %n : i64 to f32\n"
               "%m = arith.muli %n, %n : i64\n"
               "%t = arith.uitofp %m : i64 to f32",
               "%s, %t : f32, f32");
  EXPECT_EQ(scalarText(0), "count(1 * y#1)");
  EXPECT_EQ(scalarText(1), "count(1 * y#1 * y#1)");
  const Node *widened = context->get(
      Kind::Extend, Float64Type::get(program->getContext()), scalar(0));
  EXPECT_EQ(toText(*widened), "extend<f64>(count(1 * y#1))");
  EXPECT_EQ(context->get(Kind::Round, Float16Type::get(program->getContext()),
                         scalar(0)),
            context->getCount(cast<CountNode>(scalar(0))->getCount(),
                              Float16Type::get(program->getContext())));
}

TEST_F(ReaderTest, AConvolutionIsALeaf) {
  parse("func.func @f(%x: tensor<8xf32>, %y: tensor<3xf32>,"
        " %z: tensor<6xf32>) -> tensor<6xf32> {\n"
        "%0 = linalg.conv_1d ins(%x, %y : tensor<8xf32>, tensor<3xf32>)"
        " outs(%z : tensor<6xf32>) -> tensor<6xf32>\n"
        "return %0 : tensor<6xf32>\n}");
  EXPECT_EQ(elementText(),
            "\"a sum that does not start at 0\"{d1}(z[d0], (x[d0 + d1] * "
            "y[d1]))");
}

TEST_F(ReaderTest, WhatAnOpDoesNotWriteIsALeaf) {
  parseTensors("%g = tensor.empty() : tensor<4x4xf32>\n"
               "%0 = linalg.generic {indexing_maps = ["
               "   affine_map<(d0) -> (d0, d0)>], iterator_types ="
               "   [\"parallel\"]} outs(%g : tensor<4x4xf32>) {\n"
               "^bb0(%out: f32):\n linalg.yield %zero : f32\n"
               "} -> tensor<4x4xf32>",
               "%0 : tensor<4x4xf32>");
  EXPECT_TRUE(element()->is(Kind::Element)) << "it writes the diagonal";
}

TEST_F(ReaderTest, ScalarsOfABodyAndWhereTheyAre) {
  parseTensors("%0 = linalg.square ins(%x : tensor<4x8xf32>)"
               " outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>",
               "%0 : tensor<4x8xf32>");
  auto op = program->getOp<linalg::SquareOp>();
  const Body *body =
      reader->readBody(cast<linalg::LinalgOp>(op.getOperation()));
  ArrayRef<BodyOccurrence> found = reader->getBodyOccurrences(element());
  ASSERT_EQ(found.size(), 1u) << "the op has one iteration for d0 and d1";
  EXPECT_EQ(found[0].body, body);
  Value holder = found[0].scalar;
  EXPECT_EQ(holder.getParentBlock(), op.getBlock());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST_F(ReaderTest, ASumFromZeroHasAVariableOfItsOwn) {
  parseTensors("%0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)"
               " outs(%z4 : tensor<4xf32>) dimensions = [1]\n"
               "%1 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)"
               " outs(%z4 : tensor<4xf32>) dimensions = [1]",
               "%0, %1 : tensor<4xf32>, tensor<4xf32>");
  EXPECT_EQ(elementText(0), "sum{d1}(x[d0, d1])");
  EXPECT_EQ(elementText(1), "sum{d2}(x[d0, d2])");
  EXPECT_TRUE(element(0)->isStatistic());
}

TEST_F(ReaderTest, ASumFromSomethingElse) {
  parseTensors("%one = arith.constant dense<1.0> : tensor<4xf32>\n"
               "%n = arith.constant dense<-0.0> : tensor<4xf32>\n"
               "%0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)"
               " outs(%one : tensor<4xf32>) dimensions = [1]\n"
               "%1 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)"
               " outs(%n : tensor<4xf32>) dimensions = [1]",
               "%0, %1 : tensor<4xf32>, tensor<4xf32>");
  EXPECT_EQ(elementText(0),
            "\"a sum that does not start at 0\"{d1}(1, x[d0, d1])");
  EXPECT_EQ(elementText(1), "sum{d2}(x[d0, d2])");
}

TEST_F(ReaderTest, SumsOfAdjacentPartsAreOne) {
  auto part = [](StringRef name, unsigned offset, unsigned size,
                 StringRef init) {
    return llvm::formatv(
               "%p{0} = tensor.extract_slice %x[0, {1}] [4, {2}] [1, 1]"
               " : tensor<4x8xf32> to tensor<4x{2}xf32>\n"
               "%{0} = linalg.reduce {{ arith.addf } ins(%p{0} :"
               " tensor<4x{2}xf32>) outs({3} : tensor<4xf32>)"
               " dimensions = [1]\n",
               name, offset, size, init)
        .str();
  };
  parseTensors(part("0", 0, 4, "%z4") + part("1", 4, 3, "%0") +
                   part("2", 6, 1, "%1") + part("3", 5, 3, "%0"),
               "%1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>");
  ASSERT_TRUE(element(0)->is(Kind::Sum));
  EXPECT_EQ(context->getExtent(element(0)->getVariables()[0]), 7);
  EXPECT_TRUE(element(1)->is(Kind::Opaque)) << "column 6 is in both";
  EXPECT_TRUE(element(2)->is(Kind::Opaque)) << "column 4 is in neither";
}

TEST_F(ReaderTest, OtherReductionsAreOpaque) {
  parseTensors("%0 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>)"
               " outs(%z4 : tensor<4xf32>) dimensions = [1]\n"
               "%1 = linalg.reduce ins(%x : tensor<4x8xf32>)"
               " outs(%z4 : tensor<4xf32>) dimensions = [1]"
               " (%in: f32, %acc: f32) {\n %s = arith.addf %in, %acc : f32\n"
               " %n = arith.negf %s : f32\n linalg.yield %n : f32\n}",
               "%0, %1 : tensor<4xf32>, tensor<4xf32>");
  EXPECT_EQ(elementText(0), "\"arith.maximumf\"{d1}(x[d0, d1])");
  EXPECT_EQ(elementText(1), "\"a reduction that is not one op\"{d2}()");
  EXPECT_TRUE(element(1)->isStatistic());
}

TEST_F(ReaderTest, AFusedSumOfProducts) {
  parseTensors("%0 = linalg.reduce ins(%x : tensor<4x8xf32>)"
               " outs(%z4 : tensor<4xf32>) dimensions = [1]"
               " (%in: f32, %acc: f32) {\n"
               " %n = math.fma %in, %in, %acc : f32\n"
               " linalg.yield %n : f32\n}",
               "%0 : tensor<4xf32>");
  EXPECT_EQ(elementText(), "sum{d1}(fma(x[d0, d1], x[d0, d1], -0))");
}

TEST_F(ReaderTest, ASumInTwoStepsIsOne) {
  parseTensors("%f = tensor.empty() : tensor<f32>\n"
               "%g = linalg.fill ins(%zero : f32) outs(%f : tensor<f32>)"
               " -> tensor<f32>\n"
               "%s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)"
               " outs(%z4 : tensor<4xf32>) dimensions = [1]\n"
               "%0 = linalg.reduce { arith.addf } ins(%s : tensor<4xf32>)"
               " outs(%g : tensor<f32>) dimensions = [0]",
               "%0 : tensor<f32>");
  EXPECT_EQ(elementText(), "sum{d0, d1}(x[d0, d1])");
}

TEST_F(ReaderTest, DynamicExtentsThatAreOne) {
  parseTensors("%g = tensor.empty(%d0) : tensor<?xf32>\n"
               "%z = linalg.fill ins(%zero : f32) outs(%g : tensor<?xf32>)"
               " -> tensor<?xf32>\n"
               "%0 = linalg.reduce { arith.addf } ins(%y : tensor<?x?xf32>)"
               " outs(%z : tensor<?xf32>) dimensions = [1]",
               "%0 : tensor<?xf32>");
  auto *sum = dyn_cast<SumNode>(element());
  ASSERT_NE(sum, nullptr);
  unsigned reduced = sum->getVariables()[0];
  Value y = program->getArgument(1);
  EXPECT_TRUE(context->isExtentOf(reduced, y, 1));
  EXPECT_FALSE(context->isExtentOf(reduced, y, 0));
  EXPECT_TRUE(
      context->isProductOfExtents(SymbolicCount::getSymbol(y, 1), reduced));
}

//===----------------------------------------------------------------------===//
// Long programs, and programs without a beginning
//===----------------------------------------------------------------------===//

static constexpr int kLength = 20000;

static std::string getChain() {
  std::string ops;
  for (int i = 0; i < kLength; ++i)
    ops += llvm::formatv("%c{1} = arith.addf %c{0}, %x : f32\n", i, i + 1);
  return ops;
}

TEST_F(ReaderTest, ALongChainOfScalars) {
  parseScalars("%c0 = arith.addf %x, %y : f32\n" + getChain(), "%c20000 : f32");
  EXPECT_TRUE(scalar()->is(Kind::Add));
  EXPECT_EQ(scalar()->getNumber(), unsigned(kLength + 6));
}

TEST_F(ReaderTest, ALongChainInABody) {
  parse("#id = affine_map<(d0) -> (d0)>\n"
        "func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {\n"
        "%0 = linalg.generic {indexing_maps = [#id],"
        " iterator_types = [\"parallel\"]} outs(%t : tensor<4xf32>) {\n"
        "^bb0(%x: f32):\n %c0 = arith.addf %x, %x : f32\n" +
        getChain() +
        " linalg.yield %c20000 : f32\n} -> tensor<4xf32>\n"
        "return %0 : tensor<4xf32>\n}");
  EXPECT_TRUE(element()->is(Kind::Add));
  EXPECT_EQ(getDependentVariables(element()).size(), 1u);
  EXPECT_FALSE(isNonNegative(element()));
}

TEST_F(ReaderTest, ALongChainOfTensorsIsBeyondABound) {
  std::string ops;
  for (int i = 0; i < 200; ++i)
    ops += llvm::formatv("%{1} = linalg.exp ins(%{0} : tensor<4x8xf32>)"
                         " outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>\n",
                         i == 0 ? "x" : std::to_string(i), i + 1);
  parseTensors(ops, "%200 : tensor<4x8xf32>");
  const Node *node = element();
  unsigned depth = 0;
  for (; !node->getOperands().empty(); ++depth)
    node = node->getOperand(0);
  EXPECT_EQ(depth, 64u);
  EXPECT_TRUE(context->takeBeyondBound());
  EXPECT_NE(reader->open(cast<ElementNode>(node)), nullptr)
      << "from nearer by it is read";
}

TEST_F(ReaderTest, ACycleOfCastsInAnUnreachableBlock) {
  parse("func.func @f(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {\n"
        "  return %x : tensor<4x?xf32>\n"
        "^bb1:\n"
        "  %a = tensor.cast %c : tensor<4x?xf32> to tensor<?x?xf32>\n"
        "  %c = tensor.cast %a : tensor<?x?xf32> to tensor<4x?xf32>\n"
        "  return %c : tensor<4x?xf32>\n}");
  Value c = program->getReturned(0, 1);
  unsigned row = context->addVariable(4),
           column = context->addVariable(ShapedType::kDynamic);
  const Node *node =
      reader->read(c, {context->getIndex(row), context->getIndex(column)});
  EXPECT_TRUE(node->is(Kind::Element));
  EXPECT_LT(reader->getOccurrences(node).size(), 4u);
}

TEST_F(ReaderTest, ACycleOfScalarsInAnUnreachableBlock) {
  parse("func.func @f(%x: f32) -> f32 {\n return %x : f32\n"
        "^bb1:\n"
        "  %a = arith.addf %c, %x : f32\n %c = arith.addf %a, %x : f32\n"
        "  return %c : f32\n}");
  const Node *node = reader->readScalar(program->getReturned(0, 1));
  EXPECT_NE(node, nullptr);
}

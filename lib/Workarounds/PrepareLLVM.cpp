//===- PrepareLLVM.cpp - before and after conversions to LLVM -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: expand-strided-metadata divides for the one open extent
// of a group and crashes on two; goes when it reads `output_shape`.
// Upstream: LLVM 22.1: convert-cf-to-llvm prints a failed assertion by puts,
// whose buffer abort discards; goes when it writes to standard error.
// Upstream: LLVM 22.1: conversions call what has the name of C's function, be
// it the program's, and so does machine code; goes when func-to-llvm can name
// interfaces otherwise than functions.
// Upstream: LLVM 22.1: convert-math-to-llvm makes exp(x) - 1 of expm1, and
// convert-math-to-libm takes all ops; goes when one of them can leave ops out.
// Upstream: LLVM 22.1: finalize-memref-to-llvm makes nested arrays of a
// constant, of which LLVM keeps one constant per innermost array; goes when it
// makes one flat array.
// Upstream: LLVM 22.1: gpu-module-to-binary writes compile times into its
// result; goes when an option leaves them out.

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFINISHLLVM
#define GEN_PASS_DEF_NORMPREPARELLVM
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

//===----------------------------------------------------------------------===//
// Functions of the program beside those of C
//===----------------------------------------------------------------------===//

/// No name of C has a dot.
static constexpr llvm::StringLiteral kPrefix = "program.";
static constexpr llvm::StringLiteral kInterface = "_mlir_ciface_";

/// Returns the new name of a function of the program or of its interface; empty
/// for others. C defines a declared function unless it asks for an interface.
static std::string getNewName(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op);
      function &&
      (!function.isExternal() ||
       function->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName())))
    return (kPrefix + function.getName()).str();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  StringRef name = function ? function.getName() : StringRef();
  if (name.consume_front(kInterface) && name.consume_front(kPrefix))
    return (kInterface + name).str();
  return {};
}

/// Renames all at once, because a new name may be another one's old name.
static void renameFunctions(ModuleOp module) {
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> renamed;
  for (Operation &op : module.getOps())
    if (std::string name = getNewName(&op); !name.empty()) {
      auto reference = FlatSymbolRefAttr::get(module.getContext(), name);
      renamed[SymbolTable::getSymbolName(&op)] = reference;
      SymbolTable::setSymbolName(&op, reference.getAttr());
    }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr reference) {
    Attribute found = renamed.lookup(reference.getRootReference());
    return std::pair(found ? found : reference, WalkResult::skip());
  });
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    replacer.replaceElementsIn(op);
    // What is in another module, such as kernels, has its own names.
    return op->hasTrait<OpTrait::SymbolTable>() ? WalkResult::skip()
                                                : WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// Before
//===----------------------------------------------------------------------===//

static constexpr int kStandardError = 2;

/// Spells the view by its strides, which are products of the extents inside.
static void expandShape(IRRewriter &b, memref::ExpandShapeOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  // A buffer without dimensions has none to divide.
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (auto [dims, stride] : llvm::zip(op.getReassociationIndices(),
                                       source.getConstifiedMixedStrides()))
    for (int64_t dim : llvm::reverse(dims)) {
      strides[dim] = stride;
      stride = affine::makeComposedFoldedAffineApply(b, loc, product,
                                                     {stride, sizes[dim]});
    }
  b.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), source.getBaseBuffer(),
      source.getConstifiedMixedOffset(), sizes, strides);
}

namespace {
struct NormPrepareLLVM : norm::impl::NormPrepareLLVMBase<NormPrepareLLVM> {
  LLVM::GlobalOp createMessage(StringRef text) {
    auto b = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    return LLVM::GlobalOp::create(b, getOperation().getLoc(), type,
                                  /*isConstant=*/true, LLVM::Linkage::Internal,
                                  "norm_assert_message", b.getStringAttr(text));
  }

  /// Builds `if (!holds) { write(2, text, size); abort(); }`.
  LogicalResult lower(cf::AssertOp op, LLVM::GlobalOp message) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto write = LLVM::lookupOrCreateFn(b, getOperation(), "write",
                                        {i32, pointer, i64}, i64);
    auto abort = LLVM::lookupOrCreateFn(b, getOperation(), "abort", {},
                                        LLVM::LLVMVoidType::get(&getContext()));
    if (failed(write) || failed(abort))
      return failure();
    (*abort)->setAttr("passthrough", b.getStrArrayAttr({"noreturn"}));
    Value yes = arith::ConstantIntOp::create(b, 1, /*width=*/1);
    Value fails = arith::XOrIOp::create(b, op.getArg(), yes);
    b.setInsertionPoint(scf::IfOp::create(b, fails).thenYield());
    int64_t size = cast<StringAttr>(message.getValueAttr()).size();
    Value text = LLVM::AddressOfOp::create(b, message);
    Value file = LLVM::ConstantOp::create(b, i32, kStandardError);
    Value bytes = LLVM::ConstantOp::create(b, i64, size);
    LLVM::CallOp::create(b, *write, ValueRange{file, text, bytes});
    LLVM::CallOp::create(b, *abort, ValueRange());
    op.erase();
    return success();
  }

  LogicalResult lowerAsserts() {
    SmallVector<cf::AssertOp> asserts;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](cf::AssertOp op) { asserts.push_back(op); });
    SymbolTable symbols(getOperation());
    // Equal messages share their data.
    llvm::StringMap<LLVM::GlobalOp> messages;
    for (cf::AssertOp op : asserts) {
      LLVM::GlobalOp &message = messages[op.getMsg()];
      if (!message) {
        message = createMessage((op.getMsg() + "\n").str());
        symbols.insert(message);
      }
      if (failed(lower(op, message)))
        return failure();
    }
    return success();
  }

  LogicalResult lowerMath() {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  void runOnOperation() override {
    renameFunctions(getOperation());
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](memref::ExpandShapeOp op) { expandShape(rewriter, op); });
    if (failed(lowerAsserts()) || failed(lowerMath()))
      signalPassFailure();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// After
//===----------------------------------------------------------------------===//

/// Returns the elements as one row, or null if they have no such form.
static ElementsAttr flatten(Attribute value) {
  auto elements = dyn_cast_if_present<ElementsAttr>(value);
  if (!elements || elements.getShapedType().getRank() < 2 ||
      !elements.getElementType().isIntOrIndexOrFloat())
    return {};
  auto type = RankedTensorType::get(elements.getNumElements(),
                                    elements.getElementType());
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return {};
}

namespace {
struct NormFinishLLVM : norm::impl::NormFinishLLVMBase<NormFinishLLVM> {
  void runOnOperation() override {
    renameFunctions(getOperation());
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      ElementsAttr row = flatten(global.getValueOrNull());
      if (!row)
        continue;
      Type element = global.getType();
      while (auto array = dyn_cast<LLVM::LLVMArrayType>(element))
        element = array.getElementType();
      global.setGlobalType(
          LLVM::LLVMArrayType::get(element, row.getNumElements()));
      global.setValueAttr(row);
    }
    AttrTypeReplacer withoutTimings;
    withoutTimings.addReplacement([](DictionaryAttr properties) -> Attribute {
      NamedAttrList kept(properties);
      // Names as in upstream's lib/Target/LLVM/NVVM/Target.cpp.
      kept.erase("LLVMIRToISATimeInMs");
      kept.erase("ISAToBinaryTimeInMs");
      return kept.getDictionary(properties.getContext());
    });
    for (auto binary : getOperation().getOps<gpu::BinaryOp>())
      binary.setObjectsAttr(
          cast<ArrayAttr>(withoutTimings.replace(binary.getObjects())));
  }
};
} // namespace

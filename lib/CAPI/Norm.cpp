//===- Norm.cpp - C API of the norm dialect -------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm-c/Norm.h"
#include "Status.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "norm/IR/Norm.h"
#include "norm/InitAll.h"
#include "norm/Tools/Driver.h"

using namespace mlir;
using namespace mlir::norm;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Norm, norm, NormDialect)

void normRegisterAllDialects(MlirDialectRegistry registry) {
  norm::registerAllDialects(*unwrap(registry));
}

void normRegisterCompiler(MlirDialectRegistry registry) {
  createCompilerRegistry().appendTo(*unwrap(registry));
}

void normRegisterAllPasses() {
  static bool registered = [] {
    registerCompilerPasses();
    return true;
  }();
  (void)registered;
}

//===----------------------------------------------------------------------===//
// norm.rmsnorm and norm.rmsnorm_backward
//===----------------------------------------------------------------------===//

NormRMSNormAttributes normRMSNormAttributesInit(const int64_t *dims,
                                                intptr_t numDims,
                                                double epsilon) {
  NormRMSNormAttributes attributes = {};
  attributes.dims = dims;
  attributes.numDims = numDims;
  attributes.epsilon = epsilon;
  return attributes;
}

/// Returns a mistake that the op's verifier cannot see, or an empty string.
static StringRef findMistake(const NormRMSNormAttributes &attributes) {
  if (attributes.numDims < 0 || attributes.numWeightDims < 0 ||
      (attributes.numDims > 0 && !attributes.dims))
    return "dims and weightDims must have the sizes that are given";
  if (!symbolizeEpsilonMode(getNumber(attributes.epsilonMode)))
    return "epsilonMode is none of NormEpsilonMode";
  if (!symbolizeRootForm(getNumber(attributes.rootForm)))
    return "rootForm is none of NormRootForm";
  return {};
}

/// Returns epsilon in C. The verifier reports an x that has no float type.
static FloatAttr getEpsilon(Builder &b, Value input,
                            const NormRMSNormAttributes &attributes) {
  Type type = unwrap(attributes.computeType);
  if (!type)
    type = getElementTypeOrSelf(input.getType());
  bool isWide = type.isF64();
  // The op rounds epsilon to C; until then f64 keeps the given value.
  return isWide ? b.getF64FloatAttr(attributes.epsilon)
                : b.getF32FloatAttr(attributes.epsilon);
}

static void addAttributes(Builder &b, Value input,
                          const NormRMSNormAttributes &attributes,
                          OperationState &state) {
  MLIRContext *context = b.getContext();
  auto add = [&](StringRef name, Attribute value) {
    state.addAttribute(name, value);
  };
  add("dims",
      b.getDenseI64ArrayAttr(ArrayRef(attributes.dims, attributes.numDims)));
  add("epsilon", getEpsilon(b, input, attributes));
  add("epsilon_mode",
      EpsilonModeAttr::get(context,
                           static_cast<EpsilonMode>(attributes.epsilonMode)));
  add("root_form",
      RootFormAttr::get(context, static_cast<RootForm>(attributes.rootForm)));
  for (auto [name, type] :
       {std::pair("compute_type", attributes.computeType),
        std::pair("sum_type", attributes.sumType),
        std::pair("scale_type", attributes.scaleType),
        std::pair("normalized_type", attributes.normalizedType)})
    if (!mlirTypeIsNull(type))
      add(name, TypeAttr::get(unwrap(type)));
  if (attributes.weightDims)
    add("weight_dims", b.getDenseI64ArrayAttr(ArrayRef(
                           attributes.weightDims, attributes.numWeightDims)));
  if (attributes.count)
    add("count", b.getI64IntegerAttr(attributes.count));
}

/// Creates an op whose operands are `inputs` and `inits`, null where absent.
static NormStatus create(StringRef name, MlirLocation location, MlirValue x,
                         ArrayRef<MlirValue> inputs, ArrayRef<MlirValue> inits,
                         const NormRMSNormAttributes &attributes,
                         MlirOperation *op, NormError *error) {
  StringRef mistake = findMistake(attributes);
  if (!mistake.empty())
    return finish(error, NORM_INVALID_ARGUMENT, mistake);
  Location loc = unwrap(location);
  MLIRContext *context = loc.getContext();
  context->loadDialect<NormDialect>();
  ErrorCollector errors(context);
  OperationState state(loc, name);
  Builder b(context);
  SmallVector<int32_t> segments;
  for (MlirValue operand : llvm::concat<const MlirValue>(inputs, inits)) {
    segments.push_back(!mlirValueIsNull(operand));
    if (segments.back())
      state.addOperands(unwrap(operand));
  }
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  addAttributes(b, unwrap(x), attributes, state);
  for (MlirValue init : inits)
    if (!mlirValueIsNull(init) && isa<RankedTensorType>(unwrap(init).getType()))
      state.addTypes(unwrap(init).getType());
  Operation *created = Operation::create(state);
  if (failed(verify(created))) {
    created->destroy();
    return errors.finish(error, NORM_INVALID_IR);
  }
  *op = wrap(created);
  return finish(error, NORM_SUCCESS);
}

NormStatus normRMSNormCreate(MlirLocation location, MlirValue input,
                             MlirValue weight, MlirValue init,
                             MlirValue invRmsInit,
                             const NormRMSNormAttributes *attributes,
                             MlirOperation *op, NormError *error) {
  if (!op)
    return finish(error, NORM_INVALID_ARGUMENT, "op must not be null");
  *op = {nullptr};
  if (mlirLocationIsNull(location) || mlirValueIsNull(input) ||
      mlirValueIsNull(init) || !attributes)
    return finish(error, NORM_INVALID_ARGUMENT,
                  "location, input, init and attributes must not be null");
  return create(RMSNormOp::getOperationName(), location, input, {input, weight},
                {init, invRmsInit}, *attributes, op, error);
}

NormStatus
normRMSNormBackwardCreate(MlirLocation location,
                          const NormRMSNormBackwardOperands *operands,
                          const NormRMSNormAttributes *attributes,
                          MlirOperation *op, NormError *error) {
  if (!op)
    return finish(error, NORM_INVALID_ARGUMENT, "op must not be null");
  *op = {nullptr};
  if (mlirLocationIsNull(location) || !operands || !attributes ||
      mlirValueIsNull(operands->dy) || mlirValueIsNull(operands->input))
    return finish(error, NORM_INVALID_ARGUMENT,
                  "location, dy, input and attributes must not be null");
  return create(RMSNormBackwardOp::getOperationName(), location,
                operands->input,
                {operands->dy, operands->input, operands->weight,
                 operands->invRms, operands->rms},
                {operands->dxInit, operands->dwInit}, *attributes, op, error);
}

template <typename OpTy> static OpTy getOp(MlirOperation op) {
  return dyn_cast_or_null<OpTy>(unwrap(op));
}

bool normOperationIsARMSNorm(MlirOperation op) {
  return !!getOp<RMSNormOp>(op);
}
bool normOperationIsARMSNormBackward(MlirOperation op) {
  return !!getOp<RMSNormBackwardOp>(op);
}

NormStatus normRMSNormGetAttributes(MlirOperation op,
                                    NormRMSNormAttributes *attributes,
                                    NormError *error) {
  auto norm = getOp<RMSNormOpInterface>(op);
  if (!norm || !attributes)
    return finish(error, NORM_INVALID_ARGUMENT,
                  "op must be a norm.rmsnorm or a norm.rmsnorm_backward, and "
                  "attributes not null");
  ArrayRef<int64_t> dims = norm.getDims();
  *attributes = normRMSNormAttributesInit(
      dims.data(), dims.size(),
      norm.getEpsilonInComputeType().convertToDouble());
  attributes->epsilonMode = static_cast<NormEpsilonMode>(norm.getEpsilonMode());
  attributes->rootForm = static_cast<NormRootForm>(norm.getRootForm());
  attributes->computeType = wrap(Type(norm.getEffectiveComputeType()));
  attributes->sumType = wrap(norm.getSumType().value_or(Type()));
  attributes->scaleType = wrap(norm.getScaleType().value_or(Type()));
  attributes->normalizedType = wrap(norm.getNormalizedType().value_or(Type()));
  if (norm.hasWeightDims()) {
    ArrayRef<int64_t> weightDims = norm.getEffectiveWeightDims();
    // An empty array may have no address; its address is never read.
    attributes->weightDims =
        weightDims.empty() ? dims.data() : weightDims.data();
    attributes->numWeightDims = weightDims.size();
  }
  attributes->count = norm.getCount().value_or(0);
  return finish(error, NORM_SUCCESS);
}

MlirValue normRMSNormGetInput(MlirOperation op) {
  auto norm = getOp<RMSNormOpInterface>(op);
  return wrap(norm ? norm.getInput() : Value());
}

MlirValue normRMSNormGetWeight(MlirOperation op) {
  auto norm = getOp<RMSNormOpInterface>(op);
  return wrap(norm ? norm.getWeight() : Value());
}

MlirValue normRMSNormGetInit(MlirOperation op) {
  auto norm = getOp<RMSNormOp>(op);
  return wrap(norm ? Value(norm.getInit()) : Value());
}

MlirValue normRMSNormGetInvRmsInit(MlirOperation op) {
  auto norm = getOp<RMSNormOp>(op);
  return wrap(norm ? Value(norm.getInvRmsInit()) : Value());
}

NormRMSNormBackwardOperands normRMSNormBackwardGetOperands(MlirOperation op) {
  auto norm = getOp<RMSNormBackwardOp>(op);
  if (!norm)
    return {};
  auto get = [](Value operand) { return wrap(operand); };
  return {get(norm.getDy()),     get(norm.getInput()), get(norm.getWeight()),
          get(norm.getInvRms()), get(norm.getRms()),   get(norm.getDxInit()),
          get(norm.getDwInit())};
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

NormStatus normModuleParse(MlirContext context, MlirStringRef text,
                           MlirModule *module, NormError *error) {
  if (!module)
    return finish(error, NORM_INVALID_ARGUMENT, "module must not be null");
  *module = {nullptr};
  if (mlirContextIsNull(context) || !text.data)
    return finish(error, NORM_INVALID_ARGUMENT,
                  "context and text must not be null");
  if (norm::findDeepNesting(unwrap(text)))
    return finish(error, NORM_INVALID_IR, norm::kDeepNestingMessage);
  ErrorCollector errors(unwrap(context));
  auto parsed = parseSourceString<ModuleOp>(unwrap(text), unwrap(context));
  if (!parsed)
    return errors.finish(error, NORM_INVALID_IR);
  *module = wrap(parsed.release());
  return finish(error, NORM_SUCCESS);
}

NormStatus normRunPipeline(MlirOperation op, MlirStringRef pipeline,
                           NormError *error) {
  Operation *root = unwrap(op);
  if (!root || !pipeline.data)
    return finish(error, NORM_INVALID_ARGUMENT,
                  "op and pipeline must not be null");
  normRegisterAllPasses();
  ErrorCollector errors(root->getContext());
  PassManager pm(root->getContext(), root->getName().getStringRef());
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(unwrap(pipeline), pm, os)))
    return finish(error, NORM_INVALID_ARGUMENT, StringRef(message).rtrim());
  if (failed(verify(root)))
    return errors.finish(error, NORM_INVALID_IR);
  if (failed(pm.run(root)))
    return errors.finish(error, NORM_FAILED);
  return finish(error, NORM_SUCCESS);
}

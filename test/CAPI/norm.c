//===- norm.c - the C API, function by function and failure by failure ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "norm-c/Compile.h"
#include "norm-c/Recognition.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void printPart(MlirStringRef part, void *userData) {
  (void)userData;
  fwrite(part.data, 1, part.length, stdout);
}

/* One line for a call: its status and the message. */
static NormStatus show(const char *what, NormStatus status, NormError *error) {
  printf("%s: %d %s\n", what, status, error->message ? error->message : "-");
  normErrorDestroy(error);
  return status;
}

static char *readFile(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) {
    perror(name);
    exit(1);
  }
  char *text = calloc(1, 1 << 20);
  size_t size = fread(text, 1, (1 << 20) - 1, file);
  text[size] = 0;
  fclose(file);
  return text;
}

static MlirContext createContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  normRegisterCompiler(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  return context;
}

/* The handle of the dialect, and only it. */
static void testDialect(void) {
  MlirDialectHandle handle = mlirGetDialectHandle__norm__();
  MlirStringRef name = mlirDialectHandleGetNamespace(handle);
  printf("dialect: %.*s\n", (int)name.length, name.data);
  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(handle, context);
  printf("loaded: %d\n",
         !mlirDialectIsNull(mlirContextGetOrLoadDialect(context, name)));
  mlirContextDestroy(context);

  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  normRegisterAllDialects(registry);
  context = mlirContextCreateWithRegistry(registry, false);
  printf("registered: %d\n",
         !mlirDialectIsNull(mlirContextGetOrLoadDialect(context, name)));
  mlirDialectRegistryDestroy(registry);
  mlirContextDestroy(context);
}

static void testParse(MlirContext context) {
  NormError error;
  MlirModule module;
  show("unparsable",
       normModuleParse(context, str("func.func @f( {"), &module, &error),
       &error);
  printf("null: %d\n", mlirModuleIsNull(module));
  const char *unverified =
      "func.func @f(%x: memref<4xf32>) {\n"
      "  norm.rmsnorm ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)\n"
      "      dims = [1] epsilon = 0.0 : f32\n"
      "  return\n}\n";
  show("unverified", normModuleParse(context, str(unverified), &module, &error),
       &error);
  char deep[301] = {0};
  memset(deep, '[', 300);
  show("deep", normModuleParse(context, str(deep), &module, &error), &error);
  show("no module", normModuleParse(context, str(""), NULL, &error), &error);
  MlirContext none = {NULL};
  show("no context", normModuleParse(none, str(""), &module, &error), &error);
}

/* A value of `type` that is no op's result. */
static MlirValue addArgument(MlirBlock block, const char *type,
                             MlirContext context) {
  return mlirBlockAddArgument(block, mlirTypeParseGet(context, str(type)),
                              mlirLocationUnknownGet(context));
}

static void testOp(MlirContext context) {
  MlirLocation location =
      mlirLocationFileLineColGet(context, str("model.py"), 7, 3);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue x = addArgument(block, "tensor<8x64xf16>", context);
  MlirValue w = addArgument(block, "tensor<8xf16>", context);
  MlirValue r = addArgument(block, "tensor<8xf32>", context);
  MlirValue memref = addArgument(block, "memref<8x64xf16>", context);
  MlirValue none = {NULL};
  NormError error;
  MlirOperation op;

  int64_t dims[] = {1}, weightDims[] = {0};
  NormRMSNormAttributes attributes = normRMSNormAttributesInit(dims, 1, 1e-6);
  show("default",
       normRMSNormCreate(location, x, none, x, none, &attributes, &op, &error),
       &error);
  mlirOperationPrint(op, printPart, NULL);
  printf("no weight: %d\n", mlirValueIsNull(normRMSNormGetWeight(op)) &&
                                mlirValueIsNull(normRMSNormGetInvRmsInit(op)));
  mlirOperationDestroy(op);

  attributes.epsilonMode = NORM_EPSILON_CLAMP;
  attributes.rootForm = NORM_ROOT_RSQRT;
  attributes.computeType = mlirF32TypeGet(context);
  attributes.sumType = mlirF64TypeGet(context);
  attributes.scaleType = mlirBF16TypeGet(context);
  attributes.normalizedType = mlirF16TypeGet(context);
  attributes.weightDims = weightDims;
  attributes.numWeightDims = 1;
  attributes.count = 5;
  show("every attribute",
       normRMSNormCreate(location, x, w, x, r, &attributes, &op, &error),
       &error);
  mlirOperationPrint(op, printPart, NULL);
  NormRMSNormAttributes read;
  show("get", normRMSNormGetAttributes(op, &read, &error), &error);
  printf("same: %d\n",
         normOperationIsARMSNorm(op) && read.numDims == 1 &&
             read.dims[0] == 1 && (float)read.epsilon == 1e-6f &&
             read.epsilonMode == NORM_EPSILON_CLAMP &&
             read.rootForm == NORM_ROOT_RSQRT &&
             mlirTypeEqual(read.computeType, attributes.computeType) &&
             mlirTypeEqual(read.sumType, attributes.sumType) &&
             mlirTypeEqual(read.scaleType, attributes.scaleType) &&
             mlirTypeEqual(read.normalizedType, attributes.normalizedType) &&
             read.numWeightDims == 1 && read.weightDims[0] == 0 &&
             read.count == 5 && mlirValueEqual(normRMSNormGetInput(op), x) &&
             mlirValueEqual(normRMSNormGetWeight(op), w) &&
             mlirValueEqual(normRMSNormGetInit(op), x) &&
             mlirValueEqual(normRMSNormGetInvRmsInit(op), r));
  mlirOperationDestroy(op);

  attributes = normRMSNormAttributesInit(dims, 1, 1e-6);
  show("memref",
       normRMSNormCreate(location, memref, none, memref, none, &attributes, &op,
                         &error),
       &error);
  printf("results: %d\n", (int)mlirOperationGetNumResults(op));
  mlirOperationDestroy(op);

  int64_t outside[] = {2};
  attributes.dims = outside;
  show("wrong dims",
       normRMSNormCreate(location, x, none, x, none, &attributes, &op, &error),
       &error);
  printf("null: %d\n", mlirOperationIsNull(op));
  attributes.dims = NULL;
  show("no dims",
       normRMSNormCreate(location, x, none, x, none, &attributes, &op, &error),
       &error);
  attributes.dims = dims;
  show("no input",
       normRMSNormCreate(location, none, none, x, none, &attributes, &op,
                         &error),
       &error);
  attributes.epsilonMode = (NormEpsilonMode)3;
  show("mode",
       normRMSNormCreate(location, x, none, x, none, &attributes, &op, &error),
       &error);
  attributes.epsilonMode = NORM_EPSILON_INSIDE;
  attributes.rootForm = (NormRootForm)3;
  show("form",
       normRMSNormCreate(location, x, none, x, none, &attributes, &op, &error),
       &error);
  show("no op",
       normRMSNormCreate(location, x, none, x, none, &attributes, NULL, &error),
       &error);
  /* Without a NormError there is the status. */
  printf("status alone: %d\n",
         normRMSNormCreate(location, x, none, x, none, NULL, &op, NULL));
  mlirBlockDestroy(block);
}

static void testBackwardOp(MlirContext context) {
  MlirLocation location =
      mlirLocationFileLineColGet(context, str("model.py"), 9, 3);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue x = addArgument(block, "tensor<8x64xf32>", context);
  MlirValue w = addArgument(block, "tensor<64xf32>", context);
  MlirValue r = addArgument(block, "tensor<8xf32>", context);
  int64_t dims[] = {1};
  NormRMSNormAttributes attributes = normRMSNormAttributesInit(dims, 1, 1e-6);
  NormRMSNormBackwardOperands operands = {0};
  NormError error;
  MlirOperation op;
  operands.dy = operands.input = operands.dxInit = x;
  operands.dwInit = w;
  show("dx and dw",
       normRMSNormBackwardCreate(location, &operands, &attributes, &op, &error),
       &error);
  mlirOperationPrint(op, printPart, NULL);
  NormRMSNormAttributes read;
  show("get", normRMSNormGetAttributes(op, &read, &error), &error);
  NormRMSNormBackwardOperands given = normRMSNormBackwardGetOperands(op);
  printf("same: %d\n",
         normOperationIsARMSNormBackward(op) && !normOperationIsARMSNorm(op) &&
             (float)read.epsilon == 1e-6f && read.numWeightDims == 1 &&
             read.weightDims[0] == 1 && mlirValueEqual(given.dy, x) &&
             mlirValueEqual(given.input, x) && mlirValueIsNull(given.weight) &&
             mlirValueIsNull(given.invRms) && mlirValueIsNull(given.rms) &&
             mlirValueEqual(given.dxInit, x) &&
             mlirValueEqual(given.dwInit, w) &&
             mlirValueEqual(normRMSNormGetInput(op), x) &&
             mlirValueIsNull(normRMSNormGetWeight(op)) &&
             mlirValueIsNull(normRMSNormGetInit(op)));
  mlirOperationDestroy(op);
  operands.weight = w;
  operands.invRms = r;
  operands.dwInit.ptr = NULL;
  show("saved root",
       normRMSNormBackwardCreate(location, &operands, &attributes, &op, &error),
       &error);
  given = normRMSNormBackwardGetOperands(op);
  printf("same: %d\n", mlirValueEqual(given.weight, w) &&
                           mlirValueEqual(given.invRms, r) &&
                           mlirValueIsNull(given.dwInit) &&
                           mlirValueEqual(normRMSNormGetWeight(op), w));
  mlirOperationDestroy(op);
  operands.rms = r;
  show("two roots",
       normRMSNormBackwardCreate(location, &operands, &attributes, &op, &error),
       &error);
  printf("null: %d\n",
         mlirOperationIsNull(op) &&
             mlirValueIsNull(normRMSNormBackwardGetOperands(op).dy));
  operands.dy.ptr = NULL;
  show("no dy",
       normRMSNormBackwardCreate(location, &operands, &attributes, &op, &error),
       &error);
  show(
      "no op",
      normRMSNormBackwardCreate(location, &operands, &attributes, NULL, &error),
      &error);
  mlirBlockDestroy(block);
}

static void print(const NormFinding *finding, void *userData) {
  ++*(int *)userData;
  printf("%s ", finding->recognized ? "found" : "rejected");
  mlirLocationPrint(finding->location, printPart, NULL);
  printf(" [%.*s] %.*s op %d\n", (int)finding->reason.length,
         finding->reason.data, (int)finding->text.length, finding->text.data,
         normOperationIsARMSNorm(finding->op) +
             2 * normOperationIsARMSNormBackward(finding->op));
}

/* A finding of a gradient has the op, and its getters read it. */
static void printGradient(const NormFinding *finding, void *userData) {
  print(finding, userData);
  NormRMSNormAttributes read;
  NormRMSNormBackwardOperands given =
      normRMSNormBackwardGetOperands(finding->op);
  printf("gradient: status %d, dims %d, dy %d, dx %d\n",
         normRMSNormGetAttributes(finding->op, &read, NULL), (int)read.numDims,
         !mlirValueIsNull(given.dy), !mlirValueIsNull(given.dxInit));
}

static MlirModule parse(MlirContext context, const char *file) {
  char *text = readFile(file);
  NormError error;
  MlirModule module;
  if (normModuleParse(context, str(text), &module, &error) != NORM_SUCCESS) {
    printf("%s\n", error.message);
    exit(1);
  }
  free(text);
  return module;
}

static void testRecognition(MlirContext context, const char *file,
                            const char *nearMiss) {
  NormError error;
  int count = 0;
  MlirModule module = parse(context, file);
  MlirOperation op = mlirModuleGetOperation(module);
  show("exact", normRecognize(op, str("exact"), print, &count, &error), &error);
  show("rounding", normRecognize(op, str("fast"), print, &count, &error),
       &error);
  show("recognize", normRecognize(op, str(""), print, &count, &error), &error);
  printf("findings: %d\n", count);
  mlirModuleDestroy(module);

  module = parse(context, nearMiss);
  op = mlirModuleGetOperation(module);
  show("near miss", normRecognize(op, str("default"), print, &count, &error),
       &error);
  show("without callback", normRecognize(op, str(""), NULL, NULL, &error),
       &error);
  MlirOperation none = {NULL};
  show("no scope", normRecognize(none, str(""), print, &count, &error), &error);
  mlirModuleDestroy(module);
}

static void testGradient(MlirContext context) {
  const char *text =
      "func.func @f(%dy: tensor<8x64xf32>, %x: tensor<8x64xf32>)\n"
      "    -> tensor<8x64xf32> {\n"
      "  %i = tensor.empty() : tensor<8x64xf32>\n"
      "  %dx = norm.rmsnorm_backward\n"
      "      ins(%dy, %x : tensor<8x64xf32>, tensor<8x64xf32>)\n"
      "      dx(%i : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32\n"
      "      -> tensor<8x64xf32>\n"
      "  return %dx : tensor<8x64xf32>\n}\n";
  NormError error;
  int count = 0;
  MlirModule module;
  normModuleParse(context, str(text), &module, &error);
  MlirOperation op = mlirModuleGetOperation(module);
  show("to linalg",
       normRunPipeline(op, str("func.func(norm-to-linalg)"), &error), &error);
  show("gradient", normRecognize(op, str(""), printGradient, &count, &error),
       &error);
  mlirModuleDestroy(module);
}

static void testPipeline(MlirContext context, const char *file) {
  NormError error;
  MlirModule module = parse(context, file);
  MlirOperation op = mlirModuleGetOperation(module);
  show("unknown pass", normRunPipeline(op, str("norm-nonsense"), &error),
       &error);
  show("unknown option",
       normRunPipeline(op, str("norm-to-cpu{nonsense=1}"), &error), &error);
  show("failing pass",
       normRunPipeline(op, str("norm-to-nvvm{chip=sm_1}"), &error), &error);
  show("no op", normRunPipeline((MlirOperation){NULL}, str("cse"), &error),
       &error);
  show("pipeline",
       normRunPipeline(op, str("norm-recognize,func.func(norm-to-linalg)"),
                       &error),
       &error);
  show("norm-to-cpu",
       normRunPipeline(op, str("norm-to-cpu{threads=1}"), &error), &error);
  mlirModuleDestroy(module);
}

static void write(const char *name, const NormBuffer *buffer) {
  FILE *file = fopen(name, "wb");
  if (!file || fwrite(buffer->data, 1, buffer->size, file) != buffer->size)
    exit(1);
  fclose(file);
}

static void testCompile(MlirContext context, const char *file,
                        const char *shared) {
  NormError error;
  NormBuffer buffer;
  MlirModule module = parse(context, file);
  NormCompileOptions options = {0};
  show("object", normCompile(module, &options, &buffer, &error), &error);
  printf("ELF: %d\n",
         buffer.size > 4 && memcmp(buffer.data, "\177ELF", 4) == 0);
  normBufferDestroy(&buffer);
  printf("destroyed: %d\n", buffer.data == NULL && buffer.size == 0);
  normBufferDestroy(&buffer);

  options.output = NORM_OUTPUT_SHARED;
  show("shared", normCompile(module, &options, &buffer, &error), &error);
  write(shared, &buffer);
  normBufferDestroy(&buffer);
  NormOutput texts[] = {NORM_OUTPUT_ASSEMBLY, NORM_OUTPUT_LLVM_IR,
                        NORM_OUTPUT_HEADER};
  for (int i = 0; i < 3; ++i) {
    options.output = texts[i];
    show("text", normCompile(module, &options, &buffer, &error), &error);
    /* A string, for a zero follows. */
    printf("interface: %d\n",
           strstr(buffer.data, "_mlir_ciface_main") != NULL &&
               strlen(buffer.data) == buffer.size);
    normBufferDestroy(&buffer);
  }

  options.output = NORM_OUTPUT_PTX;
  show("PTX for the CPU", normCompile(module, &options, &buffer, &error),
       &error);
  printf("empty: %d\n", buffer.data == NULL && buffer.size == 0);
  options.target = str("nvvm");
  options.chip = str("sm_80");
  show("PTX", normCompile(module, &options, &buffer, &error), &error);
  printf("target: %d\n", strstr(buffer.data, ".target sm_80") != NULL);
  normBufferDestroy(&buffer);
  options.chip = str("sm_nonsense");
  show("chip", normCompile(module, &options, &buffer, &error), &error);

  options = (NormCompileOptions){0};
  options.output = NORM_OUTPUT_ASSEMBLY;
  options.triple = str("x86_64-linux-gnu");
  options.dispatch = true;
  show("dispatch", normCompile(module, &options, &buffer, &error), &error);
  printf("v4: %d\n", strstr(buffer.data, ".x86-64-v4") != NULL);
  normBufferDestroy(&buffer);
  options.cpu = str("x86-64-v3");
  show("dispatch with cpu", normCompile(module, &options, &buffer, &error),
       &error);

  options = (NormCompileOptions){0};
  options.output = (NormOutput)99;
  show("output", normCompile(module, &options, &buffer, &error), &error);
  options.output = NORM_OUTPUT_OBJECT;
  options.threads = 1025;
  show("threads", normCompile(module, &options, &buffer, &error), &error);
  options.threads = 0;
  options.cpu = str("nonsense");
  show("cpu", normCompile(module, &options, &buffer, &error), &error);
  options.cpu = str("");
  options.triple = str("nonsense");
  show("triple", normCompile(module, &options, &buffer, &error), &error);
  options.triple = str("");
  options.rounding = str("fast");
  show("rounding", normCompile(module, &options, &buffer, &error), &error);
  show("no options", normCompile(module, NULL, &buffer, &error), &error);
  show("no buffer", normCompile(module, &options, NULL, &error), &error);
  show("no module", normCompile((MlirModule){NULL}, &options, &buffer, &error),
       &error);

  /* The module was not changed: linalg is still there. */
  int count = 0;
  show("afterwards",
       normRecognize(mlirModuleGetOperation(module), str(""), print, &count,
                     &error),
       &error);
  mlirModuleDestroy(module);
}

static MlirLogicalResult countErrors(MlirDiagnostic diagnostic, void *count) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError)
    ++*(int *)count;
  return mlirLogicalResultSuccess();
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 1;
  testDialect();
  MlirContext context = createContext();
  int errors = 0;
  mlirContextAttachDiagnosticHandler(context, countErrors, &errors, NULL);
  normRegisterAllPasses();
  testParse(context);
  testOp(context);
  testBackwardOp(context);
  testRecognition(context, argv[1], argv[2]);
  testGradient(context);
  testPipeline(context, argv[1]);
  testCompile(context, argv[1], argv[3]);
  printf("errors that went elsewhere: %d\n", errors);
  mlirContextDestroy(context);
  return 0;
}

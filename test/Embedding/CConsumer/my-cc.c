/*===- my-cc.c - a compiler in C, on an installed norm-mlir ---------------===*\
|*                                                                            *|
|* Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/* my-cc OUT.o < IN.mlir: prints what was recognized and rejected, puts one more
 * norm before the first function's input, and compiles that. */

#include "mlir-c/BuiltinTypes.h"
#include "norm-c/Compile.h"
#include "norm-c/Norm.h"
#include "norm-c/Recognition.h"
#include <stdio.h>

static void print(const NormFinding *finding, void *userData) {
  ++*(int *)userData;
  if (finding->recognized)
    puts("recognized");
  else
    printf("rejected: %.*s\n", (int)finding->reason.length,
           finding->reason.data);
}

static int fail(NormError *error) {
  fprintf(stderr, "my-cc: %s\n", error->message);
  normErrorDestroy(error);
  return 1;
}

/* Puts a norm between the first argument of the function and what reads it. */
static NormStatus addPreNorm(MlirModule module, NormError *error) {
  MlirContext context = mlirModuleGetContext(module);
  MlirOperation function =
      mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirLocation location = mlirOperationGetLocation(function);
  MlirBlock block =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirValue x = mlirBlockGetArgument(block, 0);
  MlirOperation op;
  int64_t dims[] = {1};
  NormRMSNormAttributes attributes = normRMSNormAttributesInit(dims, 1, 1e-6);
  attributes.computeType = mlirF64TypeGet(context);
  MlirValue none = {NULL};
  NormStatus status =
      normRMSNormCreate(location, x, none, x, none, &attributes, &op, error);
  if (status != NORM_SUCCESS)
    return status;
  mlirBlockInsertOwnedOperation(block, 0, op);
  mlirValueReplaceAllUsesExcept(x, mlirOperationGetResult(op, 0), 1, &op);
  return status;
}

static int compile(MlirModule module, const char *file) {
  NormError error;
  NormBuffer buffer;
  NormCompileOptions options = {0}; /* an object file for x86-64-v3 */
  if (normCompile(module, &options, &buffer, &error) != NORM_SUCCESS)
    return fail(&error);
  FILE *out = fopen(file, "wb");
  int failed = !out || fwrite(buffer.data, 1, buffer.size, out) != buffer.size;
  if (out)
    failed |= fclose(out);
  normBufferDestroy(&buffer);
  return failed;
}

static int run(MlirContext context, MlirStringRef text, const char *file) {
  NormError error;
  MlirModule module;
  if (normModuleParse(context, text, &module, &error) != NORM_SUCCESS)
    return fail(&error);
  int count = 0, failed = 0;
  MlirOperation op = mlirModuleGetOperation(module);
  NormStatus status =
      normRecognize(op, mlirStringRefCreate(NULL, 0), print, &count, &error);
  printf("%d findings\n", count);
  if (status != NORM_SUCCESS || addPreNorm(module, &error) != NORM_SUCCESS)
    failed = fail(&error);
  else
    failed = compile(module, file);
  mlirModuleDestroy(module);
  return failed;
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  size_t size = fread(text, 1, sizeof(text), stdin);
  if (argc != 2)
    return 1;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  normRegisterCompiler(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  int failed = run(context, mlirStringRefCreate(text, size), argv[1]);
  mlirContextDestroy(context);
  return failed;
}

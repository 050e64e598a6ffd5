//===- Module.cpp - norm_mlir._core ---------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions and classes that norm_mlir's Python files use.
//
//===----------------------------------------------------------------------===//

#include "Function.h"
#include "Program.h"
#include "XLA.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace norm_python;

static std::vector<ParameterType> readTypes(const json::Array *array) {
  std::vector<ParameterType> types;
  for (const json::Value &value : *array) {
    const json::Object &type = *value.getAsObject();
    types.push_back({norm_python::getElementType(*type.getString("element")),
                     {},
                     *type.getBoolean("scalar"),
                     *type.getBoolean("written")});
    for (const json::Value &extent : *type.getArray("shape"))
      types.back().shape.push_back(*extent.getAsInteger());
  }
  return types;
}

/// Reads what describe wrote.
static Signature readSignature(const json::Object &object) {
  Signature signature;
  signature.name = object.getString("name")->str();
  signature.arguments = readTypes(object.getArray("arguments"));
  signature.results = readTypes(object.getArray("results"));
  signature.hasShapeFunction = *object.getBoolean("shape_function");
  signature.isOnGPU = *object.getBoolean("gpu");
  signature.hostBytes = *object.getInteger("host_bytes");
  return signature;
}

/// load(object, signature, openmp_library) -> Function
static PyObject *load(PyObject *, PyObject *arguments) {
  const char *object, *signature, *openmp;
  Py_ssize_t objectSize, signatureSize;
  if (!PyArg_ParseTuple(arguments, "y#s#s", &object, &objectSize, &signature,
                        &signatureSize, &openmp))
    return nullptr;
  auto value = json::parse(StringRef(signature, signatureSize));
  if (!value || !value->getAsObject()) {
    if (!value)
      consumeError(value.takeError());
    setError("the signature is not JSON");
    return nullptr;
  }
  return loadFunction(StringRef(object, objectSize),
                      readSignature(*value->getAsObject()), openmp);
}

static PyObject *getHostCPU(PyObject *, PyObject *) {
  SmallVector<std::string> features;
  for (auto &feature : sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  sort(features);
  std::string text = sys::getHostCPUName().str();
  for (const std::string &feature : features)
    text += "," + feature;
  return PyUnicode_FromString(text.c_str());
}

// NOLINTNEXTLINE(readability-identifier-naming): Python finds it by this name.
PyMODINIT_FUNC PyInit__core() {
  static PyMethodDef methods[] = {
      {"parse", parse, METH_VARARGS, "parse(text, name) -> Program"},
      {"load", load, METH_VARARGS,
       "load(object, signature, openmp_library) -> Function"},
      {"publish", publish, METH_O, "publish(function) -> key, for XLA"},
      {"xla_handler", getXLAHandler, METH_NOARGS, "xla_handler() -> capsule"},
      {"host_cpu", getHostCPU, METH_NOARGS, "host_cpu() -> text"},
      {nullptr, nullptr, 0, nullptr}};
  static PyModuleDef definition = {};
  definition.m_base = PyModuleDef_HEAD_INIT;
  definition.m_name = "norm_mlir._core";
  definition.m_size = -1;
  definition.m_methods = methods;
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return nullptr;
  normError = PyErr_NewExceptionWithDoc(
      "norm_mlir.NormError",
      "A program that does not compile, or an argument that does not fit.",
      PyExc_ValueError, nullptr);
  if (!normError || PyModule_AddObjectRef(module, "NormError", normError) ||
      !addFunctionClass(module) || !addProgramClass(module) ||
      PyModule_AddStringConstant(module, "llvm_version", LLVM_VERSION_STRING) ||
      PyModule_AddStringConstant(module, "version", NORM_VERSION)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}

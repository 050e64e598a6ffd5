//===- Module.cpp - norm_mlir._core ---------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that norm_mlir/__init__.py calls. Data goes between both as
// JSON, because a compiled function may also come from a file.
//
//===----------------------------------------------------------------------===//

#include "Function.h"
#include "XLA.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/Compile.h"
#include "norm/Compiler/Target.h"
#include "norm/Report/Report.h"
#include "norm/Tools/Driver.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::norm;
using namespace norm_python;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// A parsed program in a context of its own: compilations in several threads,
/// and in a child after fork, share nothing.
class Program {
public:
  Program(StringRef text, StringRef name)
      : context(createCompilerRegistry(), MLIRContext::Threading::DISABLED),
        os(errors),
        handler(sources, &context, os, [](Location) { return true; }),
        text(text), name(name) {
    context.printOpOnDiagnostic(false);
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                               SMLoc());
  }

  LogicalResult parse() {
    if (auto place = findDeepNesting(text)) {
      os << name << ":" << place->first << ":" << place->second
         << ": error: " << kDeepNestingMessage;
      return failure();
    }
    module = parseSourceFile<ModuleOp>(sources, &context);
    return success(!!module);
  }
  /// Sets a Python exception of the diagnostics so far.
  void raise() {
    StringRef all = StringRef(errors).trim();
    setError("%s", all.empty() ? "compilation failed" : all.str().c_str());
  }

  llvm::SourceMgr sources;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;

private:
  using SMLoc = llvm::SMLoc;
  std::string errors;
  llvm::raw_string_ostream os;
  SourceMgrDiagnosticHandler handler;
  StringRef text, name;
};

/// What Python passes for a compilation.
struct Request {
  StringRef text;
  const char *name, *function;
  CompileOptions options;
};
} // namespace

/// Reads the keyword arguments below.
static bool readRequest(PyObject *arguments, PyObject *keywords,
                        Request &request) {
  static const char *names[] = {"text",     "name", "function", "target",
                                "rounding", "cpu",  "features", "chip",
                                "threads",  nullptr};
  const char *text, *target, *rounding, *cpu, *features, *chip;
  Py_ssize_t size;
  CompileOptions &options = request.options;
  if (!PyArg_ParseTupleAndKeywords(
          arguments, keywords, "s#sssssssI", const_cast<char **>(names), &text,
          &size, &request.name, &request.function, &target, &rounding, &cpu,
          &features, &chip, &options.threads))
    return false;
  auto mode = symbolizeRounding(rounding);
  if (!mode) {
    setError("rounding must be default, exact or relaxed, got '%s'", rounding);
    return false;
  }
  request.text = StringRef(text, size);
  options.target = target;
  options.rounding = *mode;
  options.machine.cpu = cpu;
  options.machine.features = features;
  if (*chip)
    options.chip = chip;
  return true;
}

/// Calls `work` on the parsed program of a request while other threads of
/// Python run. Returns false after an exception.
static bool
process(PyObject *arguments, PyObject *keywords,
        llvm::function_ref<LogicalResult(ModuleOp, Request &)> work) {
  Request request;
  if (!readRequest(arguments, keywords, request))
    return false;
  std::optional<Program> program;
  bool ok;
  {
    WithoutGIL released;
    program.emplace(request.text, request.name);
    ok = succeeded(program->parse()) &&
         succeeded(work(*program->module, request));
  }
  if (!ok)
    program->raise();
  return ok;
}

/// As `process`. Returns what `write` wrote, or null.
static PyObject *processToText(
    PyObject *arguments, PyObject *keywords,
    llvm::function_ref<LogicalResult(ModuleOp, Request &, raw_ostream &)>
        write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!process(arguments, keywords, [&](ModuleOp module, Request &request) {
        return write(module, request, os);
      }))
    return nullptr;
  return PyUnicode_FromStringAndSize(text.data(), text.size());
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// Signed integers are passed as those without a sign are, and an index as one
/// of 64 bits.
static ElementType getElement(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (type.isSignedInteger())
    type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 64);
  return getElementTypeOfMLIR(debugString(type));
}

/// Returns the types as JSON; reports those that cannot be passed.
static FailureOr<llvm::json::Array> describe(func::FuncOp function,
                                             TypeRange types, StringRef kind) {
  llvm::json::Array result;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isTooMuch =
        tensor && (tensor.getEncoding() || tensor.getRank() > kMaxRank);
    if (isTooMuch || getElement(type) == ElementType::Unknown)
      return function.emitError()
             << kind << " " << i << " of " << function.getName() << " is "
             << type << "; only tensors with at most 8 dimensions and numbers "
             << "of " << listMLIRNames() << " can be passed";
    llvm::json::Array shape;
    if (tensor)
      for (int64_t extent : tensor.getShape())
        shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    result.push_back(llvm::json::Object{{"element", getName(getElement(type))},
                                        {"shape", std::move(shape)},
                                        {"scalar", !tensor}});
  }
  return result;
}

/// Returns the function of that name; without a name, the only public one, or
/// main.
static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  if (name.empty() && functions.size() == 1)
    return functions.front();
  StringRef wanted = name.empty() ? "main" : name;
  for (func::FuncOp function : functions)
    if (function.getName() == wanted)
      return function;
  return module.emitError("the program has no public function ") << wanted;
}

static FailureOr<std::string> describe(func::FuncOp function) {
  auto arguments = describe(function, function.getArgumentTypes(), "argument");
  auto results = describe(function, function.getResultTypes(), "result");
  if (failed(arguments) || failed(results))
    return failure();
  return debugString(llvm::json::Value(llvm::json::Object{
      {"name", function.getName()},
      {"arguments", std::move(*arguments)},
      {"results", std::move(*results)},
      {"shape_function",
       hasShapeFunction(function.getFunctionType(), ExtentChecks::Assert)}}));
}

static std::vector<ParameterType> readTypes(const llvm::json::Array *array) {
  std::vector<ParameterType> types;
  for (const llvm::json::Value &value : *array) {
    const llvm::json::Object &type = *value.getAsObject();
    types.push_back({norm_python::getElementType(*type.getString("element")),
                     {},
                     *type.getBoolean("scalar")});
    for (const llvm::json::Value &extent : *type.getArray("shape"))
      types.back().shape.push_back(*extent.getAsInteger());
  }
  return types;
}

/// Reads what describe wrote.
static Signature readSignature(const llvm::json::Object &object) {
  Signature signature;
  signature.name = object.getString("name")->str();
  signature.arguments = readTypes(object.getArray("arguments"));
  signature.results = readTypes(object.getArray("results"));
  signature.hasShapeFunction = *object.getBoolean("shape_function");
  return signature;
}

//===----------------------------------------------------------------------===//
// Functions of the module
//===----------------------------------------------------------------------===//

/// compile(**request) -> (object, signature)
static PyObject *compile(PyObject *, PyObject *arguments, PyObject *keywords) {
  SmallVector<char, 0> object;
  std::string signature;
  auto work = [&](ModuleOp module, Request &request) -> LogicalResult {
    auto function = findFunction(module, request.function);
    if (failed(function))
      return failure();
    auto description = describe(*function);
    if (failed(description))
      return failure();
    auto compiled =
        HostCode::compile(module, request.options, ExtentChecks::Assert);
    if (failed(compiled))
      return failure();
    object = std::move(*compiled);
    signature = std::move(*description);
    return success();
  };
  if (!process(arguments, keywords, work))
    return nullptr;
  return Py_BuildValue("(y#s#)", object.data(), Py_ssize_t(object.size()),
                       signature.data(), Py_ssize_t(signature.size()));
}

/// kernels(**request) -> PTX text
static PyObject *writeKernels(PyObject *, PyObject *arguments,
                              PyObject *keywords) {
  return processToText(arguments, keywords,
                       [](ModuleOp module, Request &request, raw_ostream &os) {
                         request.options.emit = Emit::PTX;
                         return getNVVMTarget().writeCode(
                             module, request.options, Emit::PTX, os);
                       });
}

/// load(object, signature, openmp_library) -> Function
static PyObject *load(PyObject *, PyObject *arguments) {
  const char *object, *signature, *openmp;
  Py_ssize_t objectSize, signatureSize;
  if (!PyArg_ParseTuple(arguments, "y#s#s", &object, &objectSize, &signature,
                        &signatureSize, &openmp))
    return nullptr;
  auto json = llvm::json::parse(StringRef(signature, signatureSize));
  if (!json || !json->getAsObject()) {
    if (!json)
      llvm::consumeError(json.takeError());
    setError("the signature is not JSON");
    return nullptr;
  }
  return loadFunction(StringRef(object, objectSize),
                      readSignature(*json->getAsObject()), openmp);
}

static std::string describeFindings(ModuleOp module,
                                    const Recognition &recognition) {
  llvm::json::Array recognized, rejected;
  for (RecognizedNorm found : recognition.recognized)
    recognized.push_back(
        llvm::json::Object{{"location", debugString(found.loc)},
                           {"name", found.op->getName().getStringRef()},
                           {"description", found.description},
                           {"op", debugString(*found.op.getOperation())}});
  for (const RejectedNorm &norm : recognition.rejected)
    rejected.push_back(
        llvm::json::Object{{"location", debugString(norm.loc)},
                           {"reason", stringifyRejectionReason(norm.reason)},
                           {"explanation", norm.explanation}});
  return debugString(llvm::json::Value(
      llvm::json::Object{{"recognized", std::move(recognized)},
                         {"rejected", std::move(rejected)},
                         {"program", debugString(*module.getOperation())}}));
}

/// recognize(**request) -> JSON
static PyObject *recognize(PyObject *, PyObject *arguments,
                           PyObject *keywords) {
  return processToText(
      arguments, keywords,
      [](ModuleOp module, Request &request, raw_ostream &os) {
        DialectRegistry registry;
        registerRecognitionDependencies(registry);
        module.getContext()->appendDialectRegistry(registry);
        module.getContext()->loadAllAvailableDialects();
        os << describeFindings(
            module, recognizeRMSNorms(module, request.options.rounding));
        return success();
      });
}

/// explain(**request) -> text
static PyObject *explain(PyObject *, PyObject *arguments, PyObject *keywords) {
  return processToText(
      arguments, keywords,
      [](ModuleOp module, Request &request, raw_ostream &os) -> LogicalResult {
        auto report = analyzeModule(module, request.text, request.name,
                                    request.options, {});
        if (failed(report))
          return failure();
        printReport(*report, os);
        return success();
      });
}

static PyObject *getHostCPU(PyObject *, PyObject *) {
  llvm::SmallVector<std::string> features;
  for (auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  std::string text = llvm::sys::getHostCPUName().str();
  for (const std::string &feature : features)
    text += "," + feature;
  return PyUnicode_FromString(text.c_str());
}

// NOLINTNEXTLINE(readability-identifier-naming): Python finds it by this name.
PyMODINIT_FUNC PyInit__core() {
  auto withKeywords = [](PyCFunctionWithKeywords function) {
    return reinterpret_cast<PyCFunction>(
        reinterpret_cast<void (*)()>(function));
  };
  constexpr int keywords = METH_VARARGS | METH_KEYWORDS;
  static PyMethodDef methods[] = {
      {"compile", withKeywords(compile), keywords,
       "compile(**request) -> (object, signature)"},
      {"kernels", withKeywords(writeKernels), keywords,
       "kernels(**request) -> PTX text"},
      {"load", load, METH_VARARGS,
       "load(object, signature, openmp_library) -> Function"},
      {"recognize", withKeywords(recognize), keywords,
       "recognize(**request) -> JSON"},
      {"explain", withKeywords(explain), keywords,
       "explain(**request) -> text"},
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
      !addFunctionClass(module) ||
      PyModule_AddStringConstant(module, "llvm_version", LLVM_VERSION_STRING) ||
      PyModule_AddStringConstant(module, "version", NORM_VERSION)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}

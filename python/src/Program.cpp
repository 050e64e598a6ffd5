//===- Program.cpp - a parsed program as a Python object ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// norm_mlir/_program.py calls its methods. Data goes there as JSON, because a
// compiled function may also come from a file.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Function.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/Compile.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/Norm.h"
#include "norm/Report/Report.h"
#include "norm/Tools/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include <mutex>

using namespace mlir;
using namespace mlir::norm;
using namespace norm_python;

namespace {
/// A parsed program in a context of its own: programs in several threads, and
/// in a child after fork, share nothing.
class Program {
public:
  Program(StringRef source, StringRef file)
      : text(source), name(file),
        context(createCompilerRegistry(), MLIRContext::Threading::DISABLED),
        os(errors),
        handler(sources, &context, os, [](Location) { return true; }) {
    context.printOpOnDiagnostic(false);
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                               llvm::SMLoc());
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

  /// Calls `work` while other threads of Python run, but none of them uses this
  /// program. Returns false after an exception, which has the diagnostics.
  bool run(llvm::function_ref<LogicalResult()> work) {
    std::string messages;
    bool ok;
    {
      WithoutGIL released;
      std::lock_guard<std::mutex> lock(mutex);
      ok = succeeded(work());
      messages = StringRef(errors).trim().str();
      errors.clear();
    }
    if (!ok)
      setError("%s",
               messages.empty() ? "compilation failed" : messages.c_str());
    return ok;
  }

  std::string text, name;
  OwningOpRef<ModuleOp> &get() { return module; }

private:
  std::mutex mutex;
  llvm::SourceMgr sources;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string errors;
  llvm::raw_string_ostream os;
  SourceMgrDiagnosticHandler handler;
};

struct ProgramObject {
  PyObject base;
  Program *program;
};

/// What Python passes for a compilation.
struct Request {
  const char *function;
  CompileOptions options;
};
} // namespace

/// Reads the keyword arguments below.
static bool readRequest(PyObject *arguments, PyObject *keywords,
                        Request &request) {
  static const char *names[] = {"function", "target", "rounding", "cpu",
                                "features", "chip",   "threads",  nullptr};
  const char *target, *rounding, *cpu, *features, *chip;
  CompileOptions &options = request.options;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "ssssssI",
                                   const_cast<char **>(names),
                                   &request.function, &target, &rounding, &cpu,
                                   &features, &chip, &options.threads))
    return false;
  auto mode = symbolizeRounding(rounding);
  if (!mode) {
    setError("rounding must be default, exact or relaxed, got '%s'", rounding);
    return false;
  }
  options.target = target;
  options.rounding = *mode;
  options.machine.cpu = cpu;
  options.machine.features = features;
  if (*chip)
    options.chip = chip;
  return true;
}

/// Returns what `write` wrote, or null.
static PyObject *
writeText(PyObject *self, PyObject *arguments, PyObject *keywords,
          llvm::function_ref<LogicalResult(Program &, Request &, raw_ostream &)>
              write) {
  Program &program = *reinterpret_cast<ProgramObject *>(self)->program;
  Request request;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!readRequest(arguments, keywords, request) ||
      !program.run([&] { return write(program, request, os); }))
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

static llvm::json::Object describe(Type type) {
  llvm::json::Array shape;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor)
    for (int64_t extent : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return llvm::json::Object{{"element", getName(getElement(type))},
                            {"shape", std::move(shape)},
                            {"scalar", !tensor},
                            {"written", false}};
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
    result.push_back(describe(type));
  }
  return result;
}

/// Returns the function of that name; without a name, the only public one, or
/// main.
static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions = getExports(module);
  if (name.empty() && functions.size() == 1)
    return functions.front();
  StringRef wanted = name.empty() ? "main" : name;
  for (func::FuncOp function : functions)
    if (function.getName() == wanted)
      return function;
  auto names = llvm::map_range(
      functions, [](func::FuncOp function) { return function.getName(); });
  return module.emitError("the program has no public function ")
         << wanted << "; it has "
         << (functions.empty() ? "none" : llvm::join(names, ", "));
}

/// Returns the signature of code whose first bytes are for the host.
static FailureOr<std::string> describe(func::FuncOp function, bool isOnGPU,
                                       size_t hostBytes) {
  auto arguments = describe(function, function.getArgumentTypes(), "argument");
  FunctionType type = getCallType(function);
  auto results = describe(function, type.getResults(), "result");
  if (failed(arguments) || failed(results))
    return failure();
  for (auto [i, argument] : llvm::enumerate(*arguments))
    (*argument.getAsObject())["written"] =
        getResultOver(function, i).has_value();
  return debugString(llvm::json::Value(llvm::json::Object{
      {"name", function.getName()},
      {"arguments", std::move(*arguments)},
      {"results", std::move(*results)},
      {"shape_function", hasShapeFunction(type, ExtentChecks::Assert)},
      {"gpu", isOnGPU},
      {"host_bytes", int64_t(hostBytes)}}));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

using Code = SmallVector<char, 0>;

/// Extents of results come from extents: elements are on the GPU.
static LogicalResult checkReadsNoElement(func::FuncOp function) {
  auto result = function.walk([](Operation *op) {
    bool isRead =
        !isa<tensor::DimOp, tensor::CastOp, func::ReturnOp>(op) &&
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>);
    if (!isRead)
      return WalkResult::advance();
    op->emitError("extents and assertions of kernels must not depend on "
                  "elements, which are on the GPU");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Without open extents no function of shapes has the assertions, and the code
/// that launches kernels would end the process.
static LogicalResult checkHasNoAssertion(ModuleOp module) {
  auto result = module.walk([](cf::AssertOp op) {
    op.emitError("assertions of kernels must be of open extents");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Compiles the functions of shapes alone, for the CPU.
static FailureOr<Code> compileShapes(ModuleOp source) {
  OwningOpRef<ModuleOp> module(source.clone());
  if (failed(addShapeFunctions(*module, ExtentChecks::Assert)))
    return failure();
  for (func::FuncOp function : getExports(*module)) {
    if (!function.getName().ends_with(kShapeFunctionSuffix))
      function.setPrivate();
    else if (failed(checkReadsNoElement(function)))
      return failure();
  }
  return HostCode::compile(*module, CompileOptions());
}

/// Returns the shared object of kernels and of what launches them.
static FailureOr<Code> linkKernels(ModuleOp source, CompileOptions options) {
  SmallString<128> path;
  if (auto error =
          llvm::sys::fs::createTemporaryFile("norm-kernels", "so", path))
    return reportError(source, llvm::errorCodeToError(error));
  llvm::FileRemover remover(path);
  options.emit = Emit::Shared;
  options.packed = true;
  OwningOpRef<ModuleOp> module(source.clone());
  if (failed(emitFile(*module, options, path)))
    return failure();
  auto content = llvm::MemoryBuffer::getFile(path);
  if (!content)
    return reportError(source, llvm::errorCodeToError(content.getError()));
  StringRef bytes = (*content)->getBuffer();
  return Code(bytes.begin(), bytes.end());
}

/// Compiles a program for a GPU; functions of shapes are code of the CPU.
static LogicalResult compileKernels(ModuleOp module, func::FuncOp function,
                                    const CompileOptions &options, Code &object,
                                    std::string &signature) {
  auto kernels = linkKernels(module, options);
  if (failed(kernels))
    return failure();
  if (hasShapeFunction(function.getFunctionType(), ExtentChecks::Assert)) {
    auto shapes = compileShapes(module);
    if (failed(shapes))
      return failure();
    object = std::move(*shapes);
  } else if (failed(checkHasNoAssertion(module))) {
    return failure();
  }
  auto description = describe(function, /*isOnGPU=*/true, object.size());
  if (failed(description))
    return failure();
  object.append(kernels->begin(), kernels->end());
  signature = std::move(*description);
  return success();
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

/// compile(**request) -> (object, signature)
static PyObject *compile(PyObject *self, PyObject *arguments,
                         PyObject *keywords) {
  Program &program = *reinterpret_cast<ProgramObject *>(self)->program;
  Request request;
  Code object;
  std::string signature;
  auto work = [&]() -> LogicalResult {
    auto function = findFunction(*program.get(), request.function);
    if (failed(function))
      return failure();
    if (request.options.target == "nvvm")
      return compileKernels(*program.get(), *function, request.options, object,
                            signature);
    auto description = describe(*function, /*isOnGPU=*/false, 0);
    if (failed(description))
      return failure();
    auto compiled = HostCode::compile(*program.get(), request.options,
                                      ExtentChecks::Assert);
    if (failed(compiled))
      return failure();
    object = std::move(*compiled);
    signature = std::move(*description);
    return success();
  };
  if (!readRequest(arguments, keywords, request) || !program.run(work))
    return nullptr;
  return Py_BuildValue("(y#s#)", object.data(), Py_ssize_t(object.size()),
                       signature.data(), Py_ssize_t(signature.size()));
}

/// kernels(**request) -> PTX text
static PyObject *writeKernels(PyObject *self, PyObject *arguments,
                              PyObject *keywords) {
  return writeText(self, arguments, keywords,
                   [](Program &program, Request &request, raw_ostream &os) {
                     request.options.emit = Emit::PTX;
                     OwningOpRef<ModuleOp> module(program.get()->clone());
                     return getNVVMTarget().writeCode(*module, request.options,
                                                      Emit::PTX, os);
                   });
}

static llvm::json::Value describe(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return nullptr;
  return llvm::json::Object{{"file", place.getFilename().getValue()},
                            {"line", place.getLine()},
                            {"column", place.getColumn()}};
}

static llvm::json::Value describe(const RecognizedNorm &found) {
  RMSNormOpInterface op = found.op;
  FloatAttr epsilon = op.getEpsilonAttr();
  Value weight = op.getWeight();
  return llvm::json::Object{
      {"kind", op->getName().stripDialect()},
      {"location", describe(found.loc)},
      {"input", describe(op.getInput().getType())},
      {"weight", weight ? llvm::json::Value(describe(weight.getType()))
                        : llvm::json::Value(nullptr)},
      {"dims", llvm::json::Array(op.getDims())},
      {"epsilon", epsilon ? llvm::json::Value(epsilon.getValueAsDouble())
                          : llvm::json::Value(nullptr)},
      {"epsilon_mode", stringifyEpsilonMode(op.getEpsilonMode())},
      {"compute_dtype", getName(getElement(op.getEffectiveComputeType()))},
      {"description", found.description},
      {"op", debugString(*op.getOperation())}};
}

static llvm::json::Value describe(const RejectedNorm &norm) {
  return llvm::json::Object{{"location", describe(norm.loc)},
                            {"reason", stringifyRejectionReason(norm.reason)},
                            {"explanation", norm.explanation}};
}

static llvm::json::Value describe(const Recognition &found, ModuleOp module) {
  llvm::json::Array recognized, rejected;
  for (const RecognizedNorm &norm : found.recognized)
    recognized.push_back(describe(norm));
  for (const RejectedNorm &norm : found.rejected)
    rejected.push_back(describe(norm));
  return llvm::json::Object{{"recognized", std::move(recognized)},
                            {"rejected", std::move(rejected)},
                            {"program", debugString(*module.getOperation())}};
}

/// recognize(**request) -> JSON
static PyObject *recognize(PyObject *self, PyObject *arguments,
                           PyObject *keywords) {
  return writeText(self, arguments, keywords,
                   [](Program &program, Request &request, raw_ostream &os) {
                     OwningOpRef<ModuleOp> module(program.get()->clone());
                     DialectRegistry registry;
                     registerRecognitionDependencies(registry);
                     MLIRContext *context = module->getContext();
                     context->appendDialectRegistry(registry);
                     context->loadAllAvailableDialects();
                     Recognition found =
                         recognizeRMSNorms(*module, request.options.rounding);
                     os << describe(found, *module);
                     return success();
                   });
}

/// explain(**request) -> text
static PyObject *explain(PyObject *self, PyObject *arguments,
                         PyObject *keywords) {
  return writeText(
      self, arguments, keywords,
      [](Program &program, Request &request, raw_ostream &os) -> LogicalResult {
        auto report = analyzeModule(*program.get(), program.text, program.name,
                                    request.options, {});
        if (failed(report))
          return failure();
        printReport(*report, os);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static PyTypeObject *programClass = nullptr;

static void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<ProgramObject *>(self)->program;
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

PyObject *norm_python::parse(PyObject *, PyObject *arguments) {
  const char *text, *name;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "s#s", &text, &size, &name))
    return nullptr;
  auto program = std::make_unique<Program>(StringRef(text, size), name);
  if (!program->run([&] { return program->parse(); }))
    return nullptr;
  auto *self = PyObject_New(ProgramObject, programClass);
  if (!self)
    return nullptr;
  self->program = program.release();
  return reinterpret_cast<PyObject *>(self);
}

bool norm_python::addProgramClass(PyObject *module) {
  auto withKeywords = [](PyCFunctionWithKeywords function) {
    return reinterpret_cast<PyCFunction>(
        reinterpret_cast<void (*)()>(function));
  };
  constexpr int keywords = METH_VARARGS | METH_KEYWORDS;
  static PyMethodDef methods[] = {{"compile", withKeywords(compile), keywords,
                                   "compile(**request) -> (object, signature)"},
                                  {"kernels", withKeywords(writeKernels),
                                   keywords, "kernels(**request) -> PTX text"},
                                  {"recognize", withKeywords(recognize),
                                   keywords, "recognize(**request) -> JSON"},
                                  {"explain", withKeywords(explain), keywords,
                                   "explain(**request) -> text"},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("A parsed program.")},
      {0, nullptr}};
  static PyType_Spec spec = {
      "norm_mlir._core.Program", sizeof(ProgramObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  programClass = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return programClass &&
         !PyModule_AddObjectRef(module, "Program",
                                reinterpret_cast<PyObject *>(programClass));
}

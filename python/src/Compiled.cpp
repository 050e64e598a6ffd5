//===- Compiled.cpp - a compiled function and its checks ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "../../runtime/cpu/Descriptor.h"
#include "SharedThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <optional>

using namespace norm_python;
using namespace llvm;

std::string ParameterType::getText() const {
  if (isScalar)
    return getName(element);
  std::string text = getName(element) + std::string("[");
  for (auto [d, extent] : enumerate(shape))
    text += (d ? ", " : "") + (extent < 0 ? "?" : std::to_string(extent));
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool hasShape(const View &view, const ParameterType &type) {
  for (auto [d, extent] : enumerate(type.shape))
    if (extent >= 0 && view.shape[d] != extent)
      return false;
  return true;
}

/// Returns what is wrong with the type of a view, or an empty string.
static std::string findMismatch(const View &view, const ParameterType &type) {
  if (view.type != type.element)
    return "is " + (view.type == ElementType::Unknown
                        ? view.typeName
                        : std::string(getName(view.type)));
  if (size_t(view.rank) != type.shape.size())
    return "has rank " + std::to_string(view.rank);
  if (!hasShape(view, type))
    return "has shape " + view.getShapeText();
  return {};
}

Error norm_python::check(const View &view, const ParameterType &type,
                         const char *kind, int number) {
  auto fail = [&](const Twine &problem) {
    return createStringError(Twine(kind) + " " + Twine(number) + " " + problem);
  };
  std::string mismatch = findMismatch(view, type);
  if (!mismatch.empty())
    return fail(mismatch + ", expected " + type.getText());
  if (!view.isRowMajor())
    return fail("is not contiguous; copy it with .contiguous() or "
                "numpy.ascontiguousarray");
  if (!view.data && view.getNumBytes() > 0)
    return fail("is a null pointer: its memory was freed");
  if (reinterpret_cast<uintptr_t>(view.data) % getAlignment(view.type))
    return fail("is not aligned to its elements of " +
                Twine(getBytes(view.type)) + " bytes");
  return Error::success();
}

Error norm_python::makeCountError(size_t given, ArrayRef<std::string> expected,
                                  const char *kind) {
  return createStringError(Twine(given) + " " + kind + ", expected " +
                           Twine(expected.size()) + ": " +
                           join(expected, ", "));
}

static bool overlaps(const View &x, const View &y) {
  return x.data < y.data + y.getNumBytes() && y.data < x.data + x.getNumBytes();
}

/// Names an argument or a result.
static std::string getPlace(const Signature &signature, size_t i) {
  size_t numArguments = signature.arguments.size();
  return i < numArguments ? "argument " + std::to_string(i)
                          : "result " + std::to_string(i - numArguments);
}

Error Compiled::checkOverlaps(ArrayRef<const View *> views) const {
  auto isWritten = [&](size_t i) {
    return i >= signature.arguments.size() || signature.arguments[i].isWritten;
  };
  for (size_t i = 0; i < views.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if ((isWritten(i) || isWritten(j)) && overlaps(*views[i], *views[j]))
        return createStringError(getPlace(signature, i) + " overlaps " +
                                 getPlace(signature, j));
  return Error::success();
}

Error Compiled::checkDevices(ArrayRef<const View *> views) const {
  size_t numArguments = signature.arguments.size();
  auto name = [&](size_t i) { return getPlace(signature, i); };
  std::optional<size_t> first;
  for (auto [i, view] : enumerate(views)) {
    if (i < numArguments && signature.arguments[i].isScalar)
      continue;
    if (!first)
      first = i;
    if (view->device != views[*first]->device)
      return createStringError(name(i) + " is on GPU " + Twine(view->device) +
                               ", but " + name(*first) + " on GPU " +
                               Twine(views[*first]->device));
  }
  std::optional<int> current = getCurrentGPU();
  if (first && current && *current != views[*first]->device)
    return createStringError(
        name(*first) + " is on GPU " + Twine(views[*first]->device) +
        ", but the current one is GPU " + Twine(*current) +
        ": torch.cuda.device, cudaSetDevice or cuCtxSetCurrent set it");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// The addresses of scalars, and of memref descriptors: allocated, aligned,
/// offset, sizes and strides, all of them words.
class Descriptors {
public:
  void add(ArrayRef<const View *> views, ArrayRef<ParameterType> types) {
    for (auto [view, type] : zip_equal(views, types))
      if (type.isScalar)
        places.push_back({view->data, 0});
      else
        add(view->data, ArrayRef(view->shape, view->rank));
  }
  /// Adds the results, of which the scalars are behind the tensors.
  void addResults(ArrayRef<const View *> views, ArrayRef<ParameterType> types) {
    for (bool isScalar : {false, true})
      for (auto [view, type] : zip_equal(views, types))
        if (type.isScalar == isScalar)
          add(view, type);
  }
  void add(char *data, ArrayRef<int64_t> shape) {
    places.push_back({nullptr, words.size()});
    words.resize(words.size() + norm::cpu::getDescriptorWords(shape.size()));
    norm::cpu::writeDescriptor(&words[places.back().second], data, shape.data(),
                               shape.size());
  }
  /// Calls `entry`. A failed assertion of the program is an error.
  Error call(void (*entry)(void **)) {
    return mlir::norm::HostCode::call(entry, getAddresses().data());
  }
  Error launch(const Kernels &kernels, void *stream) {
    return kernels.launch(getAddresses().data(), stream);
  }

private:
  SmallVector<void *, 8> getAddresses() {
    SmallVector<void *, 8> addresses;
    for (auto [scalar, start] : places)
      addresses.push_back(scalar ? scalar : static_cast<void *>(&words[start]));
    return addresses;
  }

  SmallVector<int64_t, 64> words;
  /// The address of a scalar, or else where a descriptor starts in `words`.
  SmallVector<std::pair<void *, size_t>, 8> places;
};
} // namespace

Error Compiled::computeExtents(ArrayRef<const View *> arguments,
                               SmallVectorImpl<int64_t> &extents) const {
  extents.assign(std::max<int64_t>(numDynamic, 1), 0);
  if (!getExtents)
    return Error::success();
  Descriptors descriptors;
  descriptors.add(arguments, signature.arguments);
  descriptors.add(reinterpret_cast<char *>(extents.data()),
                  {int64_t(extents.size())});
  return descriptors.call(getExtents);
}

std::vector<ParameterType>
Compiled::getResultTypes(ArrayRef<int64_t> extents) const {
  std::vector<ParameterType> types = signature.results;
  for (ParameterType &type : types)
    for (int64_t &extent : type.shape)
      if (extent < 0) {
        extent = extents.front();
        extents = extents.drop_front();
      }
  return types;
}

Error Compiled::run(ArrayRef<const View *> views, void *stream) const {
  size_t count = signature.arguments.size();
  Descriptors descriptors;
  descriptors.add(views.take_front(count), signature.arguments);
  descriptors.addResults(views.drop_front(count), signature.results);
  return kernels ? descriptors.launch(*kernels, stream)
                 : descriptors.call(entry);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Sets the texts and the key.
static void describe(Compiled &compiled, StringRef object) {
  for (const ParameterType &type : compiled.signature.arguments)
    compiled.argumentTexts.push_back(type.getText());
  for (const ParameterType &type : compiled.signature.results)
    compiled.resultTexts.push_back(type.getText());
  SHA256 hash;
  hash.update(compiled.signature.name + "(" +
              join(compiled.argumentTexts, ", ") + ") -> (" +
              join(compiled.resultTexts, ", ") + ")");
  hash.update(object);
  compiled.key = toHex(hash.final(), /*LowerCase=*/true);
}

/// Finds the functions that the process itself calls.
Error Compiled::loadHostCode(StringRef object,
                             const std::string &openmpLibrary) {
  mlir::norm::HostCode::Environment environment;
  if (!openmpLibrary.empty())
    environment.symbols = getSharedThreads();
  if (environment.symbols.empty())
    environment.openmpLibrary = openmpLibrary;
  auto loaded = mlir::norm::HostCode::load(object, environment);
  if (!loaded)
    return loaded.takeError();
  code = std::move(*loaded);
  auto find = [&](const Twine &name, void (*&function)(void **)) -> Error {
    auto found = code->lookup(name.str());
    if (!found)
      return found.takeError();
    function = *found;
    return Error::success();
  };
  if (!kernels)
    if (Error error = find(signature.name, entry))
      return error;
  if (!signature.hasShapeFunction)
    return Error::success();
  return find(signature.name + mlir::norm::kShapeFunctionSuffix, getExtents);
}

Expected<std::unique_ptr<Compiled>>
Compiled::load(StringRef object, Signature signature,
               const std::string &openmpLibrary) {
  auto compiled = std::make_unique<Compiled>();
  compiled->signature = std::move(signature);
  describe(*compiled, object);
  for (const ParameterType &type : compiled->signature.results)
    compiled->numDynamic += count(type.shape, -1);
  if (compiled->signature.isOnGPU) {
    size_t hostBytes = compiled->signature.hostBytes;
    auto kernels =
        Kernels::load(object.drop_front(hostBytes), compiled->signature.name);
    if (!kernels)
      return kernels.takeError();
    compiled->kernels = std::move(*kernels);
    object = object.take_front(hostBytes);
  }
  if (!object.empty())
    if (Error error = compiled->loadHostCode(object, openmpLibrary))
      return std::move(error);
  return compiled;
}

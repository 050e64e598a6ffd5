//===- Ranks.cpp - a function on several MPI ranks ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI is loaded at run time, so that the project builds without it. Ranks read
// and write files of a directory, so that all communication is the program's.
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/Norm.h"
#include "norm/Testing/Numpy.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstring>
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::norm;

static std::string getFile(StringRef directory, int64_t rank, StringRef kind,
                           unsigned number) {
  return (directory + "/" + Twine(rank) + "." + kind + Twine(number) + ".npy")
      .str();
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

namespace {
/// Where a rank's part of a tensor lies in the whole.
struct Part {
  SmallVector<int64_t> offsets, sizes;
};

enum class Direction { OutOfWhole, IntoWhole };

/// How a function's arguments and results are split (norm-record-shardings).
class Split {
public:
  explicit Split(func::FuncOp function) : function(function) {
    auto extents = function->getAttrOfType<DenseI64ArrayAttr>(gridAttrName);
    if (extents)
      grid.assign(extents.asArrayRef().begin(), extents.asArrayRef().end());
  }

  /// Returns the rank's part of argument or result `number`, of `shape`.
  llvm::Expected<Part> getPart(ArrayAttr axes, ArrayRef<int64_t> shape,
                               int64_t rank, const Twine &what) const {
    Part part{SmallVector<int64_t>(shape.size(), 0), llvm::to_vector(shape)};
    if (!axes)
      return part;
    for (auto [dim, attr] : llvm::enumerate(axes)) {
      int64_t ranks = 1, place = 0;
      for (int64_t axis : cast<DenseI64ArrayAttr>(attr).asArrayRef()) {
        ranks *= grid[axis];
        place = place * grid[axis] + getIndex(rank, axis);
      }
      if (shape[dim] % ranks != 0)
        return llvm::createStringError(what + " has " + Twine(shape[dim]) +
                                       " elements along dimension " +
                                       Twine(dim) + ", which " + Twine(ranks) +
                                       " ranks do not divide evenly");
      part.sizes[dim] = shape[dim] / ranks;
      part.offsets[dim] = place * part.sizes[dim];
    }
    return part;
  }

  ArrayAttr getAxesOfArgument(unsigned i) {
    return function.getArgAttrOfType<ArrayAttr>(i, splitAxesAttrName);
  }
  ArrayAttr getAxesOfResult(unsigned i) {
    return function.getResultAttrOfType<ArrayAttr>(i, splitAxesAttrName);
  }

  /// Returns the shape of all parts of a result together.
  SmallVector<int64_t> getWhole(unsigned result, ArrayRef<int64_t> part) {
    SmallVector<int64_t> shape(part);
    if (ArrayAttr axes = getAxesOfResult(result))
      for (auto [extent, attr] : llvm::zip(shape, axes))
        for (int64_t axis : cast<DenseI64ArrayAttr>(attr).asArrayRef())
          extent *= grid[axis];
    return shape;
  }

private:
  /// Ranks are numbered along the last axis of the grid first.
  int64_t getIndex(int64_t rank, int64_t axis) const {
    for (int64_t inner = grid.size() - 1; inner > axis; --inner)
      rank /= grid[inner];
    return rank % grid[axis];
  }

  func::FuncOp function;
  SmallVector<int64_t> grid;
};
} // namespace

/// Copies the elements of a part of a tensor. Into the whole, what has been
/// `written` there must be the same: returns false where ranks with the same
/// part have other bits.
static bool copyPart(HostTensor &whole, HostTensor &part, const Part &where,
                     Direction direction, std::vector<bool> *written) {
  size_t bytes = HostTensor::getElementBytes(whole.getElementType());
  for (int64_t i = 0, e = part.getNumElements(); i < e; ++i) {
    int64_t rest = i, position = 0, stride = 1;
    for (size_t dim = where.sizes.size(); dim-- > 0;) {
      position += (where.offsets[dim] + rest % where.sizes[dim]) * stride;
      rest /= where.sizes[dim];
      stride *= whole.getShape()[dim];
    }
    char *inWhole = whole.getData() + position * bytes;
    char *inPart = part.getData() + i * bytes;
    if (direction == Direction::OutOfWhole) {
      std::memcpy(inPart, inWhole, bytes);
      continue;
    }
    if ((*written)[position] && std::memcmp(inWhole, inPart, bytes) != 0)
      return false;
    (*written)[position] = true;
    std::memcpy(inWhole, inPart, bytes);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The process that starts the ranks
//===----------------------------------------------------------------------===//

static llvm::Error saveParts(Split &split, const Command &command,
                             ArrayRef<HostTensor> inputs, StringRef directory) {
  for (int64_t rank = 0; rank < command.options.ranks; ++rank)
    for (auto [i, input] : llvm::enumerate(inputs)) {
      auto where = split.getPart(split.getAxesOfArgument(i), input.getShape(),
                                 rank, "input " + Twine(i));
      if (!where)
        return where.takeError();
      HostTensor part(input.getElementType(), where->sizes);
      copyPart(const_cast<HostTensor &>(input), part, *where,
               Direction::OutOfWhole, nullptr);
      if (llvm::Error error =
              saveNumpy(getFile(directory, rank, "in", i), part))
        return error;
    }
  return llvm::Error::success();
}

static llvm::Expected<HostTensor> loadParts(Split &split, unsigned result,
                                            RankedTensorType type,
                                            const Command &command,
                                            StringRef directory) {
  HostTensor whole;
  std::vector<bool> written;
  for (int64_t rank = 0; rank < command.options.ranks; ++rank) {
    auto part = loadNumpy(getFile(directory, rank, "out", result), type);
    if (!part)
      return part.takeError();
    if (rank == 0) {
      whole = HostTensor(type.getElementType(),
                         split.getWhole(result, part->getShape()));
      written.assign(whole.getNumElements(), false);
    }
    auto where = llvm::cantFail(split.getPart(
        split.getAxesOfResult(result), whole.getShape(), rank, "result"));
    if (!copyPart(whole, *part, where, Direction::IntoWhole, &written))
      return llvm::createStringError("result " + Twine(result) + ": rank " +
                                     Twine(rank) +
                                     " has other bits than the ranks before it "
                                     "that have the same part");
  }
  return whole;
}

/// Debian has both implementations side by side under names of their own.
static llvm::ErrorOr<std::string> findMpiexec(StringRef implementation) {
  auto own = llvm::sys::findProgramByName("mpiexec." + implementation.lower());
  return own ? own : llvm::sys::findProgramByName("mpiexec");
}

/// Runs mpiexec; the ranks print their errors.
static llvm::Error startRanks(const Command &command, StringRef directory) {
  auto mpiexec = findMpiexec(command.options.mpi);
  if (!mpiexec)
    return llvm::createStringError("--ranks needs mpiexec, which is not in "
                                   "PATH: install " +
                                   command.options.mpi);
  std::string self =
      llvm::sys::fs::getMainExecutable(nullptr, (void *)&startRanks);
  SmallVector<std::string> texts{*mpiexec,
                                 "-n",
                                 std::to_string(command.options.ranks),
                                 self,
                                 (directory + "/rank.mlir").str(),
                                 "--function=" + command.functionName,
                                 "--rank-directory=" + directory.str(),
                                 "--mcpu=" + command.options.machine.cpu,
                                 "--threads=" +
                                     std::to_string(command.options.threads),
                                 "--mpi=" + command.options.mpi};
  if (command.options.verifyBuffers)
    texts.push_back("--verify-buffers");
  std::string problem;
  int status =
      llvm::sys::ExecuteAndWait(*mpiexec, llvm::to_vector_of<StringRef>(texts),
                                std::nullopt, {}, 0, 0, &problem);
  if (status == 0)
    return llvm::Error::success();
  return llvm::createStringError(
      "the ranks failed: mpiexec ended with status " + Twine(status) +
      (problem.empty() ? "" : ": " + problem));
}

/// Makes `module` that of one rank; nullopt after an error has been reported.
static std::optional<func::FuncOp> makeRank(ModuleOp module,
                                            const Command &command) {
  PassManager pm(module.getContext());
  buildRanksPipeline(pm, command.options);
  if (failed(command.options.runner(pm, module)))
    return std::nullopt;
  return module.lookupSymbol<func::FuncOp>(command.functionName);
}

llvm::Expected<SmallVector<HostTensor>>
norm::runOnRanks(ModuleOp module, const Command &command,
                 ArrayRef<HostTensor> inputs) {
  if (command.options.target != "cpu")
    return llvm::createStringError("--ranks needs --pipeline=cpu");
  auto whole = module.lookupSymbol<func::FuncOp>(command.functionName);
  if (!whole ||
      !llvm::all_of(getCallType(whole).getInputs(),
                    llvm::IsaPred<RankedTensorType>) ||
      !llvm::all_of(whole.getFunctionType().getResults(),
                    llvm::IsaPred<RankedTensorType>))
    return llvm::createStringError("--ranks needs a function on tensors");
  auto function = makeRank(module, command);
  if (!function)
    return llvm::createStringError("");

  SmallString<128> directory;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("norm-run", directory))
    return llvm::createStringError(error, "a directory for the ranks");
  auto remove =
      llvm::scope_exit([&] { llvm::sys::fs::remove_directories(directory); });
  Split split(*function);
  if (llvm::Error error = saveParts(split, command, inputs, directory))
    return std::move(error);
  std::error_code error;
  llvm::raw_fd_ostream(directory.str().str() + "/rank.mlir", error) << module;
  if (error)
    return llvm::createStringError(error, "the program of a rank");
  if (llvm::Error failure = startRanks(command, directory))
    return std::move(failure);

  SmallVector<HostTensor> results;
  for (auto [i, type] : llvm::enumerate(function->getResultTypes())) {
    auto result =
        loadParts(split, i, cast<RankedTensorType>(type), command, directory);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// One rank
//===----------------------------------------------------------------------===//

namespace {
/// The functions of MPI that the tool calls itself. A communicator is an
/// integer in MPICH and a pointer in OpenMPI; both fit.
struct MPI {
  void *library = nullptr;
  intptr_t world = 0;

  template <typename... Args> int call(const char *name, Args... args) const {
    auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    return function ? function(args...) : -1;
  }
};
} // namespace

static MPI mpi;

/// Loads MPI for all that is loaded later: the program's calls find it there.
static llvm::Error loadMPI(StringRef implementation) {
  bool isMPICH = implementation == "MPICH";
  SmallVector<const char *> names =
      isMPICH ? SmallVector<const char *>{"libmpich.so.12", "libmpi.so.12",
                                          "libmpich.so", "libmpi.so"}
              : SmallVector<const char *>{"libmpi.so.40", "libmpi.so"};
  for (const char *name : names)
    if ((mpi.library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)))
      break;
  if (!mpi.library)
    return llvm::createStringError("no library of " + implementation +
                                   " is installed");
  char version[8192] = "";
  int length = 0;
  mpi.call("MPI_Get_library_version", version, &length);
  StringRef text = StringRef(version).split('\n').first.trim();
  bool isOpenMPI = text.contains("Open MPI");
  if (isMPICH == isOpenMPI)
    return llvm::createStringError("the program calls " + implementation +
                                   ", and the MPI library is: " + text);
  // MPI_COMM_WORLD of the two ABIs.
  mpi.world = isMPICH ? 0x44000000
                      : reinterpret_cast<intptr_t>(
                            dlsym(mpi.library, "ompi_mpi_comm_world"));
  return llvm::Error::success();
}

llvm::Error norm::joinRanks(Command &command, FunctionType type) {
  if (llvm::Error error = loadMPI(command.options.mpi))
    return error;
  int rank = -1;
  if (mpi.call("MPI_Init", (int *)nullptr, (char ***)nullptr) != 0 ||
      mpi.call("MPI_Comm_rank", mpi.world, &rank) != 0)
    return llvm::createStringError("MPI cannot be initialized");
  command.inputs.clear();
  command.outputFiles.clear();
  for (unsigned i = 0; i < type.getNumInputs(); ++i)
    command.inputs.push_back("@" +
                             getFile(command.rankDirectory, rank, "in", i));
  for (unsigned i = 0; i < type.getNumResults(); ++i)
    command.outputFiles.push_back(
        "@" + getFile(command.rankDirectory, rank, "out", i));
  return llvm::Error::success();
}

void norm::leaveRanks(int status) {
  if (!mpi.library || !mpi.world)
    return;
  if (status != 0)
    mpi.call("MPI_Abort", mpi.world, status);
  mpi.call("MPI_Finalize");
}

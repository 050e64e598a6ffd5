//===- OutputFile.cpp - files that the user names -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/OutputFile.h"
#include "ScratchFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::norm;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static std::error_code getError() {
  return std::error_code(errno, std::generic_category());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns the descriptor that a name such as /dev/stdout or /dev/fd/3 stands
/// for. To open it would begin at the start of a file, and fails for a socket.
static std::optional<int> getDescriptor(StringRef file) {
  if (file == "-" || file == "/dev/stdout")
    return STDOUT_FILENO;
  if (file == "/dev/stderr")
    return STDERR_FILENO;
  int descriptor;
  if ((file.consume_front("/dev/fd/") ||
       file.consume_front("/proc/self/fd/")) &&
      !file.getAsInteger(10, descriptor))
    return descriptor;
  return std::nullopt;
}

/// Follows symbolic links, also to what does not exist yet.
static std::filesystem::path resolve(StringRef file) {
  std::filesystem::path path(file.str());
  std::error_code error;
  // As many as Linux follows.
  for (int i = 0; i < 40 && std::filesystem::is_symlink(path, error); ++i) {
    std::filesystem::path link = std::filesystem::read_symlink(path, error);
    path = link.is_absolute() ? link : path.parent_path() / link;
  }
  std::filesystem::path known = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, error), error);
  return error ? path : known;
}

static bool isSameFile(StringRef one, StringRef other) {
  if (one.empty() || other.empty())
    return false;
  struct stat first, second;
  std::optional<int> descriptors[] = {getDescriptor(one), getDescriptor(other)};
  auto find = [](StringRef file, std::optional<int> descriptor,
                 struct stat &status) {
    return descriptor ? fstat(*descriptor, &status) == 0
                      : stat(file.str().c_str(), &status) == 0;
  };
  bool exist[] = {find(one, descriptors[0], first),
                  find(other, descriptors[1], second)};
  if (exist[0] && exist[1])
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
  return !exist[0] && !exist[1] && resolve(one) == resolve(other);
}

llvm::Error norm::checkOutputFiles(llvm::ArrayRef<NamedFile> inputs,
                                   llvm::ArrayRef<NamedFile> outputs) {
  auto check = [](const NamedFile &output,
                  const NamedFile &other) -> llvm::Error {
    if (!isSameFile(output.file, other.file))
      return llvm::Error::success();
    return llvm::createStringError(output.option + " and " + other.option +
                                   " are the same file, '" + output.file + "'");
  };
  for (auto [i, output] : llvm::enumerate(outputs)) {
    for (const NamedFile &input : inputs)
      // As an input "-" is another file than as an output.
      if (input.file != "-")
        if (llvm::Error error = check(output, input))
          return error;
    for (const NamedFile &other : outputs.take_front(i)) {
      if (output.file == "-" && other.file == "-")
        return llvm::createStringError(output.option + " and " + other.option +
                                       " are both standard output");
      if (llvm::Error error = check(output, other))
        return error;
    }
  }
  return llvm::Error::success();
}

/// Reads from a file that claims to be empty, as those of /proc do.
static llvm::Error checkIsEmpty(StringRef file) {
  char first;
  int descriptor = open(file.str().c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t count = descriptor < 0 ? 0 : read(descriptor, &first, 1);
  std::error_code error = count < 0 ? getError() : std::error_code();
  if (descriptor >= 0)
    close(descriptor);
  if (count == 0)
    return llvm::Error::success(); // its reader finds out why it does not open
  return llvm::createStringError(
      file + ": " + (error ? error.message() : "has no size: use a pipe"));
}

llvm::Error norm::checkInputFile(StringRef file) {
  struct stat status, null;
  bool isStandard = file == "-" || file == "/dev/stdin";
  if ((isStandard ? fstat(STDIN_FILENO, &status)
                  : stat(file.str().c_str(), &status)) != 0)
    return llvm::Error::success();
  if (!isStandard && S_ISREG(status.st_mode) && status.st_size == 0)
    return checkIsEmpty(file);
  // A terminal ends where the user says so, and /dev/null at once.
  bool isDevice = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  bool ends = (isStandard && isatty(STDIN_FILENO)) ||
              (stat("/dev/null", &null) == 0 && S_ISCHR(status.st_mode) &&
               status.st_rdev == null.st_rdev);
  if (!S_ISDIR(status.st_mode) && (!isDevice || ends))
    return llvm::Error::success();
  return llvm::createStringError(file + (S_ISDIR(status.st_mode)
                                             ? ": is a directory"
                                             : ": is a device, not a file"));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::error_code write(int descriptor, StringRef content) {
  while (!content.empty()) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR)
      return getError();
    content = content.drop_front(std::max<ssize_t>(written, 0));
  }
  return {};
}

/// Writes to what exists, or to a new file, in place.
static std::error_code writeInPlace(const std::string &path, StringRef content,
                                    mode_t mode) {
  struct stat status;
  bool exists = stat(path.c_str(), &status) == 0;
  bool isFile = !exists || S_ISREG(status.st_mode);
  int flags = O_WRONLY | O_CLOEXEC | (isFile ? O_CREAT | O_TRUNC : 0);
  int descriptor = open(path.c_str(), flags, mode);
  if (descriptor < 0)
    return getError();
  std::error_code error = write(descriptor, content);
  if (close(descriptor) != 0 && !error)
    error = getError();
  return error;
}

/// Gives a file the permissions of the one that it replaces, or a new file's.
/// Returns false where it would have another owner or lose its other names.
static bool adopt(int descriptor, const struct stat *old, mode_t mode) {
  if (!old) {
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(descriptor, mode & ~mask) == 0;
  }
  struct stat status;
  if (old->st_nlink > 1 || fstat(descriptor, &status) != 0)
    return false;
  bool isOwners =
      (old->st_uid == status.st_uid && old->st_gid == status.st_gid) ||
      fchown(descriptor, old->st_uid, old->st_gid) == 0;
  return isOwners && fchmod(descriptor, old->st_mode & 07777) == 0;
}

/// Writes beside `path`, then renames; in place where that would change whose
/// file it is, and where the folder takes no other file.
static std::error_code replace(const std::string &path, StringRef content,
                               mode_t mode, const struct stat *old) {
  if (old && access(path.c_str(), W_OK) != 0)
    return getError();
  int descriptor;
  llvm::SmallString<128> beside;
  if (fs::createUniqueFile(path + ".%%%%%%", descriptor, beside))
    return writeInPlace(path, content, mode);
  ScratchFile scratch(beside);
  bool isAdopted = adopt(descriptor, old, mode);
  std::error_code error =
      isAdopted ? write(descriptor, content) : std::error_code();
  if (close(descriptor) != 0 && !error)
    error = getError();
  if (error)
    return error;
  if (!isAdopted)
    return writeInPlace(path, content, mode);
  error = fs::rename(beside, path);
  if (!error)
    scratch.release();
  return error;
}

static std::error_code writeAnyFile(StringRef file, StringRef content,
                                    mode_t mode) {
  if (std::optional<int> descriptor = getDescriptor(file)) {
    llvm::outs().flush(); // what was printed before stays before
    return write(*descriptor, content);
  }
  std::string name = file.str();
  struct stat status;
  bool exists = stat(name.c_str(), &status) == 0;
  if (!exists && errno == ELOOP)
    return getError();
  if (exists && !S_ISREG(status.st_mode))
    return writeInPlace(name, content, mode);
  return replace(resolve(file).string(), content, mode,
                 exists ? &status : nullptr);
}

llvm::Error norm::writeOutputFile(StringRef file, StringRef content,
                                  FileKind kind) {
  mode_t mode = kind == FileKind::Executable ? 0777 : 0666;
  std::error_code error = writeAnyFile(file, content, mode);
  if (!error)
    return llvm::Error::success();
  return llvm::createStringError(error, file + ": " + error.message());
}

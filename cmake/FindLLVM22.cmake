# Finds LLVM and MLIR 22 and stops with a clear message when they are missing
# or when another version is found.
set(NORM_LLVM_MAJOR 22)
set(_norm_hint
    "norm-mlir needs LLVM and MLIR ${NORM_LLVM_MAJOR}. On Debian run 'make deps', "
    "or pass -DMLIR_DIR=<prefix>/lib/cmake/mlir -DLLVM_DIR=<prefix>/lib/cmake/llvm.")
list(JOIN _norm_hint "" _norm_hint)

find_package(MLIR QUIET CONFIG HINTS /usr/lib/llvm-${NORM_LLVM_MAJOR}/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "MLIR was not found. ${_norm_hint}")
endif()
find_package(LLVM QUIET CONFIG HINTS ${MLIR_DIR}/../llvm NO_DEFAULT_PATH)
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "MLIR was found at ${MLIR_DIR}, but no LLVM beside it. ${_norm_hint}")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL NORM_LLVM_MAJOR)
  message(FATAL_ERROR "Found LLVM ${LLVM_PACKAGE_VERSION} at ${LLVM_DIR}. ${_norm_hint}")
endif()

message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}: ${LLVM_DIR}")
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})

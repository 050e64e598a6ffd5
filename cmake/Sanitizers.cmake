# What HandleLLVMOptions needs for LLVM_USE_SANITIZER and only LLVM's own build
# sets: without these flags "Undefined" is accepted and checks nothing.
#   vptr      needs RTTI, which LLVM is built without
#   function  reads a hash before each function, absent from LLVM's libraries
set(LLVM_UBSAN_FLAGS
    "-fsanitize=undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all"
    CACHE STRING "Flags of LLVM_USE_SANITIZER=Undefined")

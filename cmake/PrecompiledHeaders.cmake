# MLIR's headers, parsed once for all targets. Off, each source shows that it
# includes what it uses: the presets with sanitizers build so.
option(NORM_PRECOMPILED_HEADERS "Parse the headers of MLIR once" ON)

if(NORM_PRECOMPILED_HEADERS)
  add_library(norm-upstream-headers OBJECT
              ${CMAKE_CURRENT_LIST_DIR}/Precompiled/Upstream.cpp)
  target_precompile_headers(norm-upstream-headers PRIVATE
                            ${CMAKE_CURRENT_LIST_DIR}/Precompiled/Upstream.h)
  target_compile_options(norm-upstream-headers PRIVATE
                         "SHELL:-Xclang -fno-pch-timestamp")
endif()

function(norm_reuse_headers target)
  if(NORM_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM norm-upstream-headers)
  endif()
endfunction()

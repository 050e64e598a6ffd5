# add_norm_library(NAME [INTERNAL] SOURCES... [LINK_LIBS LIBS...])
# One component of norm-mlir as a static library over the shared MLIR and LLVM.
# NormTargetCPU is NormMLIR::TargetCPU where the package is installed; what is
# INTERNAL serves our tests and programs, and is not installed.
function(add_norm_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  norm_reuse_headers(${name})
  add_dependencies(${name} norm-headers)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  target_compile_features(${name} INTERFACE cxx_std_17)
  if(NOT ARG_INTERNAL)
    norm_export_library(${name})
  endif()
endfunction()

# norm_export_library(NAME [COMPONENT name]): installs a library that others
# link, as NormMLIR::<name of the component>.
function(norm_export_library name)
  cmake_parse_arguments(ARG "" "COMPONENT" "" ${ARGN})
  string(SUBSTRING ${name} 4 -1 component) # A replaced ^Norm would go twice.
  if(ARG_COMPONENT)
    set(component ${ARG_COMPONENT})
  endif()
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${component})
  target_include_directories(${name} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT NormMLIRTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY NORM_COMPONENTS ${component})
endfunction()

# add_norm_tool(NAME SOURCES... [LINK_LIBS LIBS...])
function(add_norm_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  norm_reuse_headers(${name})
  add_dependencies(${name} norm-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
endfunction()

# add_norm_passes(GROUP FOLDER [INCLUDES HEADERS...]): FOLDER/Passes.td becomes
# norm/FOLDER/Passes.h, which declares and registers the passes of a room.
# INCLUDES has the types of their options.
function(add_norm_passes group folder)
  cmake_parse_arguments(ARG "" "" "INCLUDES" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${folder}/Passes.td)
  mlir_tablegen(${folder}/Passes.h.inc -gen-pass-decls -name ${group})
  add_public_tablegen_target(Norm${group}PassIncGen)
  add_dependencies(norm-headers Norm${group}PassIncGen)
  string(MAKE_C_IDENTIFIER "NORM_${folder}_PASSES_H" guard)
  string(TOUPPER ${guard} guard)
  set(includes)
  foreach(header ${ARG_INCLUDES})
    string(APPEND includes "#include \"${header}\"\n")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/Passes.h.in ${folder}/Passes.h)
  set_property(GLOBAL APPEND PROPERTY NORM_PASS_FOLDERS ${folder})
endfunction()

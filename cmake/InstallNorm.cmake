# `cmake --install`: headers, ODS and PDLL beside them, and the package
# NormMLIR. Libraries and tools are installed where they are added.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.pdll" PATTERN "*.def"
  PATTERN "Testing" EXCLUDE PATTERN "Tools" EXCLUDE)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE
  PATTERN "Testing" EXCLUDE)

# The umbrella: what a compiler links that takes everything but the JIT.
add_library(NormMLIR INTERFACE)
target_link_libraries(NormMLIR INTERFACE NormInitAll)
install(TARGETS NormMLIR EXPORT NormMLIRTargets)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/NormMLIR)
install(EXPORT NormMLIRTargets NAMESPACE NormMLIR:: DESTINATION ${package_dir})
get_property(NORM_COMPONENTS GLOBAL PROPERTY NORM_COMPONENTS)
list(JOIN NORM_COMPONENTS " " NORM_COMPONENT_NAMES)
configure_package_config_file(cmake/NormMLIRConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/NormMLIRConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/NormMLIRConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/NormMLIRConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/NormMLIRConfigVersion.cmake
  DESTINATION ${package_dir})

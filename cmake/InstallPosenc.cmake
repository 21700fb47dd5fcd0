# What `cmake --install` copies, by component: `development` is the libraries, the headers and the package that
# find_package(Posenc) finds; add_posenc_tool adds `tools`, lib/CAPI `library`, and `python` for the wheel.
include(CMakePackageConfigHelpers)

get_property(posenc_libs GLOBAL PROPERTY POSENC_LIBS)
list(REMOVE_ITEM posenc_libs PosEncTestPasses)
install(TARGETS ${posenc_libs} EXPORT PosencTargets ARCHIVE COMPONENT development)
install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/
  TYPE INCLUDE
  COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td" PATTERN "*.inc")

set(posenc_package ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
install(EXPORT PosencTargets DESTINATION ${posenc_package} COMPONENT development)
configure_package_config_file(cmake/PosencConfig.cmake.in ${PROJECT_BINARY_DIR}/PosencConfig.cmake
  INSTALL_DESTINATION ${posenc_package}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PosencConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PosencConfig.cmake ${PROJECT_BINARY_DIR}/PosencConfigVersion.cmake
  DESTINATION ${posenc_package}
  COMPONENT development)

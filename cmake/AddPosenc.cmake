# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin wrappers over MLIR's macros: what every posenc library and tool needs, said once.

# add_posenc_library(<name> <sources>... DEPENDS <targets>... LINK_LIBS PUBLIC <libs>...)
function(add_posenc_library name)
  # EXCLUDE_FROM_LIBMLIR: otherwise each file is compiled a second time as an object library.
  add_mlir_library(${name} ${ARGN} EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL)
  if(POSENC_PCH)
    target_precompile_headers(${name} REUSE_FROM posenc_pch)
  endif()
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_property(GLOBAL APPEND PROPERTY POSENC_LIBS ${name})
endfunction()

# add_posenc_tool(<name> <sources>...): a tool that is installed, too.
function(add_posenc_tool name)
  add_llvm_executable(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE POSENC_VERSION="${PROJECT_VERSION}")
  # libMLIR.so is not on the loader's path.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIR}")
  install(TARGETS ${name} COMPONENT tools)
endfunction()

# add_posenc_passes(<phase>): Passes.td of a phase folder becomes Passes.h.inc and the target PosEnc<phase>PassesIncGen.
function(add_posenc_passes phase)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${phase})
  add_public_tablegen_target(PosEnc${phase}PassesIncGen)
  add_mlir_doc(Passes ${phase}Passes Passes/ -gen-pass-doc)
endfunction()

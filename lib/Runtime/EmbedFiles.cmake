# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the bytes of files as C++ arrays.
#
#   cmake -D "EMBEDDED=name file;name file..." -D OUTPUT=out.inc
#         -P EmbedFiles.cmake

set(text)
foreach(pair IN LISTS EMBEDDED)
  string(FIND "${pair}" " " space)
  string(SUBSTRING "${pair}" 0 ${space} name)
  math(EXPR start "${space} + 1")
  string(SUBSTRING "${pair}" ${start} -1 file)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  # Bitcode is read in words.
  string(APPEND text
    "alignas(4) static const unsigned char ${name}[] = {${bytes}};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")

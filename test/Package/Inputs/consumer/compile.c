/*===- compile.c - Compiles a graph in memory ----------------------*- C -*-===*
 *
 * Part of the posenc project, under the Apache License v2.0 with LLVM
 * Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "posenc-c/posenc.h"

#include <stdio.h>

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file)
    return 2;
  size_t length = fread(text, 1, sizeof text, file);
  posenc_result *result = posenc_compile(text, length, argv[1], NULL);
  const char *error = posenc_result_error(result);
  if (error)
    fprintf(stderr, "%s\n", error);
  posenc_result_destroy(result);
  return error != NULL;
}

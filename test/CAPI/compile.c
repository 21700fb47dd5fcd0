// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// UNSUPPORTED: sanitizer
// RUN: %clang -std=c11 -Wall -Wextra -Werror -I %source_dir/include %s -o %t \
// RUN:   %build_dir/lib/libposenc.so -Wl,-rpath,%build_dir/lib
// RUN: %t %S/../Object/Inputs/scale_rows.mlir | FileCheck %s

// The C API, compiled as C and used from it, on a thread with a small stack.

#include "posenc-c/posenc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *source;
static size_t length;

static posenc_result *compile(const char *const *options) {
  return posenc_compile(source, length, "graph.mlir", options);
}

static void *run(void *unused) {
  (void)unused;
  const char *const shared[] = {"emit=so", "ir=true", "remarks=true", NULL};
  posenc_result *result = compile(shared);
  size_t size;
  const char *bytes = posenc_result_artifact(result, &size);
  // CHECK: shared library: no error, ELF 1
  printf("shared library: %s, ELF %d\n",
         posenc_result_error(result) ? posenc_result_error(result) : "no error",
         size > 4 && memcmp(bytes, "\177ELF", 4) == 0);
  // CHECK: header declares it: 1
  printf("header declares it: %d\n",
         strstr(posenc_result_header(result), "int scale_rows(") != NULL);
  // CHECK: input kept: 1, codegen in LLVM dialect: 1, no such phase: 1
  printf("input kept: %d, codegen in LLVM dialect: %d, no such phase: %d\n",
         posenc_result_ir(result, "input") != NULL,
         strstr(posenc_result_ir(result, "codegen"), "llvm.func") != NULL,
         posenc_result_ir(result, "nonsense") == NULL);
  // CHECK: parse {{.*}}codegen object seconds: 1
  double seconds = 0, total = 0;
  for (int step = 0; posenc_result_time(result, step, &seconds); ++step) {
    printf("%s ", posenc_result_time(result, step, &seconds));
    total += seconds;
  }
  printf("seconds: %d\n", total > 0 && total < 600);
  posenc_result_destroy(result);

  const char *const one[] = {"function=nosuch", NULL};
  const char two[] = "func.func @f() { return } func.func @g() { return }";
  result = posenc_compile(two, sizeof two - 1, "two.mlir", one);
  // CHECK: two.mlir: there is no function 'nosuch'; there are 'f', 'g'
  printf("%s\n", posenc_result_error(result));
  posenc_result_destroy(result);

  const char *const bad[] = {"cpu=z80", NULL};
  result = compile(bad);
  // CHECK: unknown CPU 'z80': use one of native,
  printf("%s\n", posenc_result_error(result));
  posenc_result_destroy(result);

  result = posenc_compile("func.func @f(", 13, "bad.mlir", NULL);
  // CHECK: bad.mlir:1:
  printf("%s\n", posenc_result_error(result));
  posenc_result_destroy(result);
  return NULL;
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file)
    return 1;
  source = malloc(1 << 20);
  length = fread(source, 1, 1 << 20, file);
  fclose(file);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, NULL);
  pthread_join(thread, NULL);
  free(source);
  // CHECK: import simplify fuse plan codegen
  for (int phase = 0; posenc_phase_name(phase); ++phase)
    printf("%s ", posenc_phase_name(phase));
  printf("%s\n", posenc_version());
  return 0;
}

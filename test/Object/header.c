// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: posenc-compile %S/Inputs/scale_rows.mlir -o %t.a
// RUN: %clang -std=c11 -Wall -Wextra -Werror -pedantic -include %t.h %s %t.a -o %t -pthread
// RUN: %t | FileCheck %s
// RUN: %clang -x c++ -std=c++11 -Wall -Werror -fsyntax-only -include %t.h -include %t.h %s

// The header is C and C++ and declares the library; the static library links.

#include <stdio.h>

int main(void) {
  float x[128], w[64], y[128];
  for (int i = 0; i < 128; ++i)
    x[i] = (float)i;
  for (int i = 0; i < 64; ++i)
    w[i] = 0.0f;
  int64_t matrix[] = {2, 64}, vector[] = {64};
  DLTensor tx = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, matrix, NULL, 0};
  DLTensor tw = {w, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, vector, NULL, 0};
  DLTensor ty = {y, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, matrix, NULL, 0};
  // CHECK: 0 127
  printf("%d ", scale_rows(&tx, &tw, &ty));
  printf("%g\n", (double)y[127]);
  // CHECK: 2 scale_rows: {{.*}}'w'
  vector[0] = 63;
  printf("%d ", scale_rows(&tx, &tw, &ty));
  printf("%s\n", posenc_last_error());
  // CHECK: 2 scale_rows: dimension 0 of x must be below 1000000
  vector[0] = 64;
  matrix[0] = 2000000;
  printf("%d ", scale_rows_shapes(&tx, &tw, &ty));
  printf("%s\n", posenc_last_error());
  return 0;
}

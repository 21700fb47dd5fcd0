// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %S/Inputs/keyword_graph.py > %t.mlir
// RUN: posenc-compile %t.mlir -o %t.a
// RUN: %clang -std=gnu11 -Werror -fsyntax-only -include %t.h %s
// RUN: %clang -std=c2x -Werror -fsyntax-only -include %t.h %s
// RUN: %clang -x c++ -std=gnu++11 -Werror -fsyntax-only -include %t.h %s
// RUN: %clang -x c++ -std=c++23 -Werror -fsyntax-only -include %t.h %s

// The header is C and C++ whatever a graph's names are.

int (*one)(const DLTensor *, DLTensor *) = asm_graph;

// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// REQUIRES: qemu-x86_64
// RUN: posenc-compile %S/math.mlir -o %t.a --cpu=x86-64-v4
// RUN: %clang --target=x86_64-linux-gnu -static -fuse-ld=lld -O1 -include %t.h %s %t.a -o %t -lm
// RUN: qemu-x86_64 -cpu Haswell %t | FileCheck %s --check-prefix=HASWELL
// RUN: qemu-x86_64 -cpu Nehalem %t | FileCheck %s --check-prefix=NEHALEM
// RUN: posenc-compile %S/math.mlir -o %t.a --cpu=x86-64-v3,x86-64-v4
// RUN: %clang --target=x86_64-linux-gnu -static -fuse-ld=lld -O1 -include %t.h %s %t.a -o %t -lm
// RUN: qemu-x86_64 -cpu Haswell %t | FileCheck %s --check-prefix=RUNS
// RUN: qemu-x86_64 -cpu Nehalem %t | FileCheck %s --check-prefix=BOTH

// A CPU that cannot run a library gets an error, not an instruction that it
// does not know: neither functions nor their shapes need more than x86-64.

// HASWELL: 3 power: this library was compiled for x86-64-v4; this CPU has x86-64-v3 and lacks avx512f {{.*}}; recompile with --cpu=x86-64-v3 or --cpu=x86-64-v3,x86-64-v4
// HASWELL: 3 power: this library was compiled for x86-64-v4;
// NEHALEM: 3 power: this library was compiled for x86-64-v4; this CPU lacks {{.*}}avx2 {{.*}} and has no level that code is compiled for; the least is --cpu=x86-64-v3
// RUNS: 0 {{$}}
// RUNS: 0 {{$}}
// RUNS: 8 9
// BOTH: 3 power: this library was compiled for x86-64-v3,x86-64-v4; this CPU lacks {{.*}}avx2 {{.*}}f16c and

#include <stdio.h>

int main(void) {
  static float x[] = {2, 3}, y[] = {3, 2}, z[2];
  static int64_t shape[] = {2}, room[1];
  DLTensor tx = {x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, NULL, 0};
  DLTensor ty = tx, tz = tx, described = tx;
  ty.data = y, tz.data = z, described.shape = room;
  int code = power_shapes(&tx, &ty, &described);
  printf("%d %s\n", code, posenc_last_error());
  code = power(&tx, &ty, &tz);
  printf("%d %s\n", code, posenc_last_error());
  printf("%g %g\n", z[0], z[1]);
  return 0;
}

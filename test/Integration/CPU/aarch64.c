// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// REQUIRES: qemu-aarch64
// RUN: posenc-compile %S/math.mlir -o %t.a --cpu=generic-aarch64
// RUN: %clang --target=aarch64-linux-gnu -static -fuse-ld=lld -O1 -include %t.h %s %t.a -o %t -lm
// RUN: qemu-aarch64 %t

// The functions of math.mlir on AArch64, emulated, against libm in double.

#include <math.h>
#include <stdio.h>

enum { count = 3000 };
static float x[count], y[count], hi[count], lo[count], z[count], cosine[count],
    sine[count];
static int64_t shape[] = {count};

static DLTensor tensor(float *data) {
  DLTensor result = {data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, NULL, 0};
  return result;
}

static double distance(double got, double expected) {
  return fabs(got - expected) / fmax(fabs(expected), 1e-30);
}

int main(void) {
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < count; ++i) {
    x[i] = (float)(i * 349); // up to 2^20
    double turns = pow(10000.0, -(i % 64) / 64.0) / (2 * pi);
    hi[i] = (float)turns;
    lo[i] = (float)(turns - hi[i]);
    y[i] = (float)(i % 11 - 5) * 0.7f;
  }
  DLTensor tx = tensor(x), ty = tensor(y), thi = tensor(hi), tlo = tensor(lo),
           tz = tensor(z), tcos = tensor(cosine), tsin = tensor(sine);
  if (angle(&tx, &thi, &tlo, &tcos, &tsin) || power(&tx, &ty, &tz)) {
    printf("%s\n", posenc_last_error());
    return 1;
  }
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    double turns = pow(10000.0, -(i % 64) / 64.0) / (2 * pi) * x[i];
    double radians = (turns - rint(turns)) * 2 * pi;
    worst = fmax(worst, fabs(cosine[i] - cos(radians)));
    worst = fmax(worst, fabs(sine[i] - sin(radians)));
    if (i > 0 && distance(z[i], pow(x[i], y[i])) > 1e-7) {
      printf("powf(%g, %g) = %g\n", x[i], y[i], z[i]);
      return 1;
    }
  }
  printf("cos_sin: worst error %g\n", worst);
  return worst > 3e-7;
}

//===- PosEnc.td - The whole dialect ------------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_POSENC
#define POSENC_POSENC

include "posenc/Dialect/PosEnc/IR/Encodings.td"
include "posenc/Dialect/PosEnc/IR/Frequencies.td"
include "posenc/Dialect/PosEnc/IR/FrequencyScalings.td"
include "posenc/Dialect/PosEnc/IR/PosEncOps.td"
include "posenc/Dialect/PosEnc/IR/Schedules/CPU.td"

#endif // POSENC_POSENC

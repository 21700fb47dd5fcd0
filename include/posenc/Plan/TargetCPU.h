//===- TargetCPU.h - The CPUs that can be compiled for ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PLAN_TARGETCPU_H
#define POSENC_PLAN_TARGETCPU_H

namespace mlir::posenc {

/// What `--cpu` names.
enum class TargetCPU {
  Native,         ///< the best of the others that this machine runs
  X86V3,          ///< x86-64-v3: AVX2, FMA
  X86V4,          ///< x86-64-v4: AVX-512
  SapphireRapids, ///< AVX-512 and AMX
  AArch64,        ///< generic-aarch64: NEON
};

} // namespace mlir::posenc

#endif // POSENC_PLAN_TARGETCPU_H

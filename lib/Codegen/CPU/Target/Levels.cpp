//===- Levels.cpp - The table of --cpu ------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::posenc;

using llvm::StringLiteral;

/// POSENC_CPU_* of lib/Runtime/posenc_runtime.h.
enum : uint32_t { X86V3 = 1, X86V4 = 2, AMXBF16 = 4 };

static constexpr int64_t kKiB = 1024;

static constexpr StringLiteral kX86 = "x86_64-unknown-linux-gnu";
static constexpr StringLiteral kAArch64 = "aarch64-unknown-linux-gnu";

static constexpr StringLiteral kX86V3Features[] = {"avx2", "fma",  "f16c",
                                                   "bmi",  "bmi2", "lzcnt"};
static constexpr StringLiteral kX86V4Features[] = {
    "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
static constexpr StringLiteral kSapphireRapidsFeatures[] = {
    "amx-tile",   "amx-bf16",    "avx512fp16",
    "avx512bf16", "avx512vbmi2", "avxvnni"};

static const CPULevel levels[] = {
    {"x86-64-v3", kX86, "x86-64-v3", "haswell", "x86-64", X86V3,
     /*vectorBits=*/256, /*l2Bytes=*/256 * kKiB, kX86V3Features},
    {"x86-64-v4", kX86, "x86-64-v4", "icelake-server", "x86-64", X86V3 | X86V4,
     /*vectorBits=*/512, /*l2Bytes=*/1024 * kKiB, kX86V4Features},
    {"sapphirerapids", kX86, "sapphirerapids", "sapphirerapids", "x86-64",
     X86V3 | X86V4 | AMXBF16, /*vectorBits=*/512, /*l2Bytes=*/2048 * kKiB,
     kSapphireRapidsFeatures},
    {"generic-aarch64", kAArch64, "generic", "neoverse-n1", "generic",
     /*requiredFeatures=*/0, /*vectorBits=*/128, /*l2Bytes=*/512 * kKiB,
     /*features=*/{}},
};

ArrayRef<CPULevel> posenc::getCPULevels() { return levels; }

static llvm::Expected<const CPULevel *> resolveNative() {
  llvm::Triple host(llvm::sys::getProcessTriple());
  llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  const CPULevel *best = nullptr;
  for (const CPULevel &level : levels) {
    if (llvm::Triple(level.triple).getArch() != host.getArch())
      continue;
    if (!llvm::all_of(level.features,
                      [&](StringRef name) { return has.lookup(name); }))
      break;
    best = &level;
  }
  if (best)
    return best;
  return llvm::createStringError(
      "--cpu=native: this machine (" + llvm::sys::getHostCPUName() +
      ") is no AArch64 and lacks x86-64-v3 (AVX2, FMA); name the CPU to "
      "compile for");
}

llvm::Expected<const CPULevel *> posenc::resolveCPU(StringRef name) {
  if (name == kNativeCPU)
    return resolveNative();
  std::string known = kNativeCPU.str();
  for (const CPULevel &level : levels) {
    if (level.name == name)
      return &level;
    known += (", " + level.name).str();
  }
  return llvm::createStringError("unknown CPU '" + name + "': use one of " +
                                 known);
}

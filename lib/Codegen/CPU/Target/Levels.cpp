//===- Levels.cpp - The table of --cpu ------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/CPUFeatures.h"
#include "posenc/Codegen/CPU/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::posenc;

using llvm::StringLiteral;

static constexpr int64_t kKiB = 1024;
static constexpr StringLiteral kX86 = "x86_64-unknown-linux-gnu";
static constexpr StringLiteral kAArch64 = "aarch64-unknown-linux-gnu";

/// LLVM's names, by bit.
static constexpr StringLiteral x86Features[] = {
#define POSENC_X86_FEATURE(NAME, TEXT, WORD, BIT, STATES) TEXT,
#include "posenc/Codegen/CPU/CPUFeatures.def"
};
static constexpr StringLiteral aarch64Features[] = {
#define POSENC_AARCH64_FEATURE(NAME, TEXT, BIT) TEXT,
#include "posenc/Codegen/CPU/CPUFeatures.def"
};

static constexpr CPULevel levels[] = {
#define POSENC_X86_LEVEL(TEXT, TUNE, VECTOR_BITS, L2_KIB, FEATURES)            \
  {TEXT, kX86, "x86-64", TUNE, FEATURES, VECTOR_BITS, L2_KIB * kKiB},
#define POSENC_AARCH64_LEVEL(TEXT, TUNE, VECTOR_BITS, L2_KIB, FEATURES)        \
  {TEXT, kAArch64, "generic", TUNE, FEATURES, VECTOR_BITS, L2_KIB * kKiB},
#include "posenc/Codegen/CPU/CPUFeatures.def"
};

ArrayRef<CPULevel> posenc::getCPULevels() { return levels; }

SmallVector<StringRef> CPULevel::getFeatureNames() const {
  ArrayRef<StringLiteral> names =
      triple == kX86 ? ArrayRef(x86Features) : ArrayRef(aarch64Features);
  SmallVector<StringRef> used;
  for (auto [bit, name] : llvm::enumerate(names))
    if (features >> bit & 1)
      used.push_back(name);
  return used;
}

std::string CPULevel::getSymbolSuffix() const {
  std::string suffix = ("." + name).str();
  llvm::replace(suffix, '-', '_');
  return suffix;
}

static llvm::Expected<const CPULevel *> resolveNative() {
  llvm::Triple host(llvm::sys::getProcessTriple());
  llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  const CPULevel *best = nullptr;
  for (const CPULevel &level : levels) {
    if (llvm::Triple(level.triple).getArch() != host.getArch())
      continue;
    // What AArch64's row asks for every AArch64 has; LLVM may not know it.
    if (level.triple == kX86 &&
        !llvm::all_of(level.getFeatureNames(),
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

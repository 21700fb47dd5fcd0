//===- Target.cpp - The CPUs that posenc compiles for ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of `--cpu`, and LLVM's machines for its rows.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir::posenc;

namespace {

/// POSENC_CPU_* of lib/Runtime/posenc_runtime.h.
enum : uint32_t { X86V3 = 1, X86V4 = 2, AMXBF16 = 4 };

struct Row {
  llvm::StringLiteral name, triple, cpu, tune, baseline;
  uint32_t requiredFeatures;
  unsigned vectorBits;
  /// LLVM's names of features that tell this CPU from the row before.
  llvm::StringLiteral features[6];
};

} // namespace

// From the least to the most; `native` is the last that the host has.
static constexpr Row rows[] = {
    {"x86-64-v3",
     "x86_64-unknown-linux-gnu",
     "x86-64-v3",
     "haswell",
     "x86-64",
     X86V3,
     256,
     {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt"}},
    {"x86-64-v4",
     "x86_64-unknown-linux-gnu",
     "x86-64-v4",
     "icelake-server",
     "x86-64",
     X86V3 | X86V4,
     512,
     {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512f"}},
    {"sapphirerapids",
     "x86_64-unknown-linux-gnu",
     "sapphirerapids",
     "sapphirerapids",
     "x86-64",
     X86V3 | X86V4 | AMXBF16,
     512,
     {"amx-tile", "amx-bf16", "avx512fp16", "avx512bf16", "avx512vbmi2",
      "avxvnni"}},
    {"generic-aarch64",
     "aarch64-unknown-linux-gnu",
     "generic",
     "neoverse-n1",
     "generic",
     0,
     128,
     {"neon", "neon", "neon", "neon", "neon", "neon"}},
};

static CodegenTarget makeTarget(const Row &row) {
  CodegenTarget target;
  target.name = row.name.str();
  target.triple = llvm::Triple(row.triple);
  target.cpu = row.cpu.str();
  target.tune = row.tune.str();
  target.baseline = row.baseline.str();
  target.requiredFeatures = row.requiredFeatures;
  target.vectorBits = row.vectorBits;
  return target;
}

static llvm::Expected<CodegenTarget> resolveNative() {
  llvm::Triple host(llvm::sys::getProcessTriple());
  llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  const Row *best = nullptr;
  for (const Row &row : rows) {
    if (llvm::Triple(row.triple).getArch() != host.getArch())
      continue;
    bool isBaseline = row.requiredFeatures == 0;
    if (!isBaseline && !llvm::all_of(row.features, [&](llvm::StringRef name) {
          return has.lookup(name);
        }))
      break;
    best = &row;
  }
  if (!best)
    return llvm::createStringError(
        "--cpu=native: this machine (" + llvm::sys::getHostCPUName() +
        ") is no AArch64 and lacks x86-64-v3 (AVX2, FMA); name the CPU to "
        "compile for");
  CodegenTarget target = makeTarget(*best);
  target.tune = llvm::sys::getHostCPUName().str();
  return target;
}

llvm::Expected<CodegenTarget>
mlir::posenc::resolveTarget(llvm::StringRef name) {
  if (name == "native")
    return resolveNative();
  std::string known = "native";
  for (const Row &row : rows) {
    if (row.name == name)
      return makeTarget(row);
    known += (", " + row.name).str();
  }
  return llvm::createStringError("unknown CPU '" + name + "': use one of " +
                                 known);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::posenc::createTargetMachine(const CodegenTarget &target) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // for the runtime's inline assembly
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
  });
  std::string error;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (!found)
    return llvm::createStringError("--cpu=" + target.name + ": " + error);
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target.triple, target.baseline, /*Features=*/"", options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

//===- Target.cpp - Machines that emit code -------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's machines for the rows of the table of `--cpu`.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/Target.h"
#include "posenc/Codegen/CPU/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir::posenc;

std::string CodegenTarget::getFeatures() const {
  auto added = [](llvm::StringRef name) { return ("+" + name).str(); };
  return llvm::join(llvm::map_range(level->getFeatureNames(), added), ",");
}

/// What keeps code for `level` out of a library with code for `other`, if
/// anything.
static llvm::Error checkPair(llvm::StringRef names, const CPULevel &level,
                             const CPULevel &other) {
  llvm::StringRef hint = llvm::is_contained(llvm::split(names, ','), kNativeCPU)
                             ? " ('native' is it on this machine)"
                             : "";
  if (&level == &other)
    return llvm::createStringError("--cpu=" + names + ": names " + level.name +
                                   " twice" + hint + "; name each CPU once");
  llvm::Triple triple(level.triple), otherTriple(other.triple);
  if (triple.getArch() != otherTriple.getArch())
    return llvm::createStringError(
        "--cpu=" + names + ": a library is for one architecture, but " +
        other.name + " is of " + otherTriple.getArchName() + " and " +
        level.name + " of " + triple.getArchName() +
        "; compile a library for each");
  return llvm::Error::success();
}

llvm::Expected<llvm::SmallVector<CodegenTarget, 1>>
mlir::posenc::resolveTargets(llvm::StringRef names) {
  llvm::SmallVector<CodegenTarget, 1> targets;
  for (llvm::StringRef name : llvm::split(names, ',')) {
    llvm::Expected<const CPULevel *> level = resolveCPU(name);
    if (!level)
      return level.takeError();
    for (const CodegenTarget &other : targets)
      if (llvm::Error error = checkPair(names, **level, *other.level))
        return std::move(error);
    targets.push_back({*level, name == kNativeCPU
                                   ? llvm::sys::getHostCPUName().str()
                                   : (*level)->tune.str()});
  }
  // The table, an array, is in this order.
  llvm::sort(targets, [](const CodegenTarget &a, const CodegenTarget &b) {
    return a.level < b.level;
  });
  return targets;
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
      llvm::TargetRegistry::lookupTarget(target.getTriple(), error);
  if (!found)
    return llvm::createStringError("--cpu=" + target.level->name + ": " +
                                   error);
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target.getTriple(), target.level->baseline, /*Features=*/"", options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

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

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir::posenc;

llvm::Expected<CodegenTarget>
mlir::posenc::resolveTarget(llvm::StringRef name) {
  llvm::Expected<const CPULevel *> level = resolveCPU(name);
  if (!level)
    return level.takeError();
  CodegenTarget target;
  target.name = (*level)->name.str();
  target.triple = llvm::Triple((*level)->triple);
  target.cpu = (*level)->cpu.str();
  target.tune = name == kNativeCPU ? llvm::sys::getHostCPUName().str()
                                   : (*level)->tune.str();
  target.baseline = (*level)->baseline.str();
  target.requiredFeatures = (*level)->requiredFeatures;
  target.vectorBits = (*level)->vectorBits;
  return target;
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

//===- UnusedTargets.cpp - What lld asks for and posenc does not need -----===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld initialises every target, and Polly, for link-time optimisation. Posenc
// links native objects only: empty definitions here keep those archives out of
// the self-contained library, half of its size.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

#define UNUSED_TARGET(name)                                                    \
  extern "C" void LLVMInitialize##name##Target() {}                            \
  extern "C" void LLVMInitialize##name##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##name##TargetMC() {}                          \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##name##AsmParser() {}

UNUSED_TARGET(AMDGPU)
UNUSED_TARGET(ARM)
UNUSED_TARGET(AVR)
UNUSED_TARGET(BPF)
UNUSED_TARGET(Hexagon)
UNUSED_TARGET(Lanai)
UNUSED_TARGET(LoongArch)
UNUSED_TARGET(M68k)
UNUSED_TARGET(MSP430)
UNUSED_TARGET(Mips)
UNUSED_TARGET(NVPTX)
UNUSED_TARGET(PowerPC)
UNUSED_TARGET(RISCV)
UNUSED_TARGET(SPIRV)
UNUSED_TARGET(Sparc)
UNUSED_TARGET(SystemZ)
UNUSED_TARGET(VE)
UNUSED_TARGET(WebAssembly)
UNUSED_TARGET(XCore)
UNUSED_TARGET(Xtensa)

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", nullptr};
}

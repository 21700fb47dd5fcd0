//===- Target.h - The CPUs that posenc compiles for -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_TARGET_H
#define POSENC_OBJECT_TARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir::posenc {

/// One CPU that code is compiled for.
struct CodegenTarget {
  /// As `--cpu` spells it.
  std::string name;
  llvm::Triple triple;
  /// See CPULevel.
  std::string cpu, tune, baseline;
  uint32_t requiredFeatures = 0;
  unsigned vectorBits = 128;
};

/// The target that `--cpu=name` means, see resolveCPU. `native` is scheduled
/// for this machine; the library runs wherever the runtime's check passes.
llvm::Expected<CodegenTarget> resolveTarget(llvm::StringRef name);

/// A machine that emits position-independent code for `target`. Fails where
/// this build of LLVM lacks the architecture.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CodegenTarget &target);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_TARGET_H

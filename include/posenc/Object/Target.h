//===- Target.h - The CPUs that posenc compiles for -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_TARGET_H
#define POSENC_OBJECT_TARGET_H

#include "posenc/Codegen/CPU/Target.h"

#include "llvm/ADT/SmallVector.h"
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
  const CPULevel *level;
  /// LLVM's name of the CPU that code is scheduled for.
  std::string tune;

  llvm::Triple getTriple() const { return llvm::Triple(level->triple); }
  /// `--cpu`'s features as LLVM writes them, "+a,+b".
  std::string getFeatures() const;
};

/// The targets that `--cpu=names` means, names of resolveCPU separated by
/// commas, from the least to the most. `native` is scheduled for this machine.
/// Fails where a CPU is named twice, and for more than one architecture.
llvm::Expected<llvm::SmallVector<CodegenTarget, 1>>
resolveTargets(llvm::StringRef names);

/// A machine that emits position-independent code for `target`. Fails where
/// this build of LLVM lacks the architecture.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CodegenTarget &target);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_TARGET_H

//===- Target.h - The CPUs that posenc compiles for -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of `--cpu`, and what of it a module carries: Plan's schedules,
// the tiles of contractions and the machines of Object all follow from it.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_CODEGEN_CPU_TARGET_H
#define POSENC_CODEGEN_CPU_TARGET_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::posenc {

/// One row of the table of `--cpu`, CPUFeatures.def.
struct CPULevel {
  /// As `--cpu` spells it.
  llvm::StringLiteral name;
  llvm::StringLiteral triple;
  /// LLVM's names: what runs before the CPU was checked is compiled for
  /// `baseline`; kernels use `features` besides and are scheduled for `tune`.
  llvm::StringLiteral baseline, tune;
  /// The bits of CPUFeatures.h of the architecture.
  uint64_t features;
  /// Bits of a vector register.
  int64_t vectorBits;
  /// Of one core, in bytes.
  int64_t l2Bytes;

  /// LLVM's names of `features`.
  SmallVector<StringRef> getFeatureNames() const;
  /// What the symbols of code for it end in: the name as assemblers take it.
  std::string getSymbolSuffix() const;
};

/// `--cpu`'s name of the machine the compiler runs on.
inline constexpr llvm::StringLiteral kNativeCPU = "native";

/// The rows, of each architecture from the least to the most.
ArrayRef<CPULevel> getCPULevels();

/// The row called `name`; of `native` the last of the rows that this machine
/// has in full. Fails where the name is unknown or this machine has none.
llvm::Expected<const CPULevel *> resolveCPU(StringRef name);

/// A tile of a product in registers.
struct RegisterTile {
  int64_t lanes, rows;
};

/// The sizes that code is shaped by, as DLTI's description of the device "CPU"
/// holds them.
struct CPUDescription {
  static constexpr llvm::StringLiteral kDevice = "CPU";

  StringRef cpu;
  int64_t vectorBits;
  int64_t l2Bytes;

  static CPUDescription of(const CPULevel &level);
  /// The description of the module around `op`; none where it has none, or a
  /// part is missing.
  static std::optional<CPUDescription> read(Operation *op);

  TargetDeviceSpecInterface toAttr(MLIRContext *context) const;

  /// The largest tile whose accumulators, row and column stay in registers.
  RegisterTile getRegisterTile() const;
};

/// Makes CPUs known to Plan.
void registerCPUTarget(DialectRegistry &registry);

} // namespace mlir::posenc

#endif // POSENC_CODEGEN_CPU_TARGET_H

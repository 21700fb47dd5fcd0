//===- Schedules.cpp - The cost model of attention on CPUs ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Target.h"
#include "posenc/Dialect/PosEnc/IR/TargetModel.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::posenc;

static int64_t getMaxDecodeRows(const CPUDescription &cpu) {
  // Prefill computes all lanes of a tile whatever the number of rows, at about
  // 80 % of the peak. Decode computes single rows at the speed of memory,
  // about 5 %. They meet near lanes / 16.
  return std::max<int64_t>(1, cpu.getRegisterTile().lanes / 16);
}

/// Keys of a block such that block, scores and outputs stay in half of L2;
/// speed is flat between 32 and 128 keys.
static int64_t getPrefillKeyBlock(AttentionOp op, const CPUDescription &cpu) {
  int64_t headSize =
      AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[3];
  int64_t valueSize =
      AttentionOp::getShapeBHLD(op.getValue(), op.getValueLayout())[3];
  int64_t bytesPerKey = (headSize + valueSize) * sizeof(float);
  int64_t keys = 64;
  while (keys > 16 && keys * bytesPerKey > cpu.l2Bytes / 2)
    keys /= 2;
  return keys;
}

/// Ranges of keys a head is split into: 16 units or more of one sequence, to
/// occupy the threads of a usual machine.
static int64_t getDecodeSplit(AttentionOp op) {
  int64_t heads = AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[1];
  if (ShapedType::isDynamic(heads) || heads == 0)
    return 4;
  return std::clamp<int64_t>(llvm::divideCeil(16, heads), 1, 8);
}

static CPUDecodeAttr getDecodeSchedule(AttentionOp op,
                                       const CPUDescription &cpu) {
  constexpr int64_t floatBits = 32;
  return CPUDecodeAttr::get(op.getContext(), /*key_block=*/256, /*rows=*/4,
                            getDecodeSplit(op),
                            /*lanes=*/cpu.vectorBits / floatBits);
}

static CPUPrefillAttr getPrefillSchedule(AttentionOp op,
                                         const CPUDescription &cpu) {
  auto [lanes, rows] = cpu.getRegisterTile();
  return CPUPrefillAttr::get(op.getContext(), /*query_block=*/64,
                             getPrefillKeyBlock(op, cpu), lanes, rows);
}

/// A tile of a product and its parts of the operands, 128 deep, stay in half of
/// the least L2 there is; with more columns there would be too few tiles for
/// many threads. Of few rows wider tiles are as much work; a page of a row of
/// `b` read in one go is what prefetchers and address translation are good at.
static GroupTiles getGroupTiles(const CPUDescription &cpu) {
  int64_t rows = cpu.getRegisterTile().rows;
  return {/*rows=*/96 / rows * rows, /*columns=*/128, /*fewRows=*/rows,
          /*fewRowsColumns=*/1024};
}

static FailureOr<CPUDescription> readDescription(Operation *op) {
  if (std::optional<CPUDescription> cpu = CPUDescription::read(op))
    return *cpu;
  return op->emitError() << "the module's description of its CPU lacks a "
                            "name, a vector width or a cache size; run "
                            "posenc-attach-target before";
}

namespace {
class CPUTarget : public TargetModel {
public:
  StringRef getDeviceName() const override { return CPUDescription::kDevice; }

  SmallVector<StringRef> getProcessors() const override {
    SmallVector<StringRef> names = {kNativeCPU};
    for (const CPULevel &level : getCPULevels())
      names.push_back(level.name);
    return names;
  }

  llvm::Expected<TargetDeviceSpecInterface>
  describe(StringRef processor, MLIRContext *context) const override {
    llvm::Expected<const CPULevel *> level = resolveCPU(processor);
    if (!level)
      return level.takeError();
    return CPUDescription::of(**level).toAttr(context);
  }

  FailureOr<SmallVector<ScheduleChoice>>
  chooseSchedules(AttentionOp op) const override {
    FailureOr<CPUDescription> cpu = readDescription(op);
    if (failed(cpu))
      return failure();
    return SmallVector<ScheduleChoice>{
        {getDecodeSchedule(op, *cpu), getMaxDecodeRows(*cpu)},
        {getPrefillSchedule(op, *cpu)}};
  }

  FailureOr<GroupTiles> chooseGroupTiles(Operation *op) const override {
    FailureOr<CPUDescription> cpu = readDescription(op);
    if (failed(cpu))
      return failure();
    return getGroupTiles(*cpu);
  }
};
} // namespace

void posenc::registerCPUTarget(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, PosEncDialect *dialect) {
    dialect->addTarget(std::make_unique<CPUTarget>());
  });
}

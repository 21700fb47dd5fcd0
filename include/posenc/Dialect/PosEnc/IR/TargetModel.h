//===- TargetModel.h - What Plan asks of a target ---------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target implements this in its folder and adds itself to the dialect, so
// that Plan, an earlier phase, knows no target by name.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_TARGETMODEL_H
#define POSENC_DIALECT_POSENC_IR_TARGETMODEL_H

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/Error.h"

namespace mlir::posenc {

/// A schedule and up to how many query rows a head it is the best one.
struct ScheduleChoice {
  static constexpr int64_t kAnyRows = INT64_MAX;

  ScheduleAttrInterface schedule;
  int64_t maxQueryRows = kAnyRows;
};

/// The tiles that `posenc-group` computes at a time.
struct GroupTiles {
  /// Of the result of a matrix product.
  int64_t rows, columns;
  /// With up to `fewRows` rows a product takes as long as its right operand
  /// takes to be read; where that has its columns dense, tiles are this wide.
  int64_t fewRows, fewRowsColumns;
};

/// One kind of device that code can be made for.
class TargetModel {
public:
  virtual ~TargetModel() = default;

  /// The device's name in `dlti.target_system_spec`, such as "CPU".
  virtual StringRef getDeviceName() const = 0;

  /// The processors of this kind, as `--cpu` spells them.
  virtual SmallVector<StringRef> getProcessors() const = 0;

  /// The DLTI description of a processor of `getProcessors()`. Fails where the
  /// name stands for this machine and it is none of the others.
  virtual llvm::Expected<TargetDeviceSpecInterface>
  describe(StringRef processor, MLIRContext *context) const = 0;

  /// The schedules that are the best ones for `op` on the processor that its
  /// module describes, by rising number of query rows; the last one is for
  /// `kAnyRows`. They depend on neither the batch size nor the number of
  /// threads, so that a row's bits do not either. An incomplete description is
  /// an error at `op`.
  virtual FailureOr<SmallVector<ScheduleChoice>>
  chooseSchedules(AttentionOp op) const = 0;

  /// The tiles for the ops in `op` on the processor that its module describes.
  /// An incomplete description is an error at `op`.
  virtual FailureOr<GroupTiles> chooseGroupTiles(Operation *op) const = 0;
};

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_TARGETMODEL_H

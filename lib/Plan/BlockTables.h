//===- BlockTables.h - Least and greatest elements by block -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask that reads a tensor along i or j alone (document ids, key padding) has
// its interval over a block of rows from a table of the blocks' least and
// greatest elements, computed once a call. One that reads it by the block (a
// map of visible blocks) reads the few elements themselves.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_BLOCKTABLES_H
#define POSENC_LIB_PLAN_BLOCKTABLES_H

#include "mlir/IR/Builders.h"
#include "posenc/Formula/Interval.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::posenc {

class BlockTables {
public:
  /// Elements of a block along the dimension that is cut into blocks.
  static constexpr int64_t kBlock = 64;

  /// The interval of the elements of a tensor of integers that `read`, in the
  /// mask of attention, meets while one of its indices runs over an interval,
  /// or any two if they are rows or keys divided by a constant; unknown for
  /// any other read. Emits at `b`, the table after the tensor's definition.
  ///
  /// It holds where `valid` (i1, set for a known result) does: rows and keys
  /// must touch two blocks at most.
  Interval read(OpBuilder &b, Operation *read, ArrayRef<Interval> indices,
                Value &valid);

private:
  /// The least and the greatest elements of each block.
  using Table = std::pair<Value, Value>;
  Table getTable(Value tensor, int64_t dimension);

  llvm::DenseMap<std::pair<Value, int64_t>, Table> tables;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_BLOCKTABLES_H

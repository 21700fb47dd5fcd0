//===- TableReads.h - Which entries of tables are read ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FORMULA_TABLEREADS_H
#define LIB_FORMULA_TABLEREADS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Formula/ElementFormula.h"
#include "posenc/Formula/Number.h"
#include "posenc/Formula/Recording.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::posenc {

/// The constant tables that a formula reads, and which of their entries it has
/// been seen to read. A row is open if the graph does not say which rows are
/// read: it follows from an open extent, a captured integer or an element.
class TableReads {
public:
  explicit TableReads(const ElementFormula &formula);

  /// Axes that select the entry of a table.
  const llvm::SmallBitVector &getAxes() const { return axes; }
  /// Those among them that select an open row.
  const llvm::SmallBitVector &getOpenAxes() const { return openAxes; }
  /// The most rows of a table that has open rows; zero if none has.
  int64_t getMostRows() const;

  /// Notes the open rows that were read, by the numbers of the formula's
  /// values.
  void note(const llvm::DenseMap<Value, Number> &numbers);
  /// Whether all open rows from the first that was read on were read.
  bool isComplete() const;

private:
  /// An open index of a read, and the rows it was seen to select.
  struct OpenRow {
    Value index;
    llvm::BitVector rows;
  };

  llvm::SmallBitVector axes, openAxes;
  SmallVector<OpenRow> openRows;
};

} // namespace mlir::posenc

#endif // LIB_FORMULA_TABLEREADS_H

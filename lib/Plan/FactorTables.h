//===- FactorTables.h - What rows of a table have in common -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_FACTORTABLES_H
#define POSENC_LIB_PLAN_FACTORTABLES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::posenc {

/// Where `table` is computed from its indices alone: what is expensive and
/// depends on some of its dimensions only becomes a table of those, which
/// `table` reads. Frequencies that a call computes are those of every row.
void factorTable(linalg::GenericOp table);

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_FACTORTABLES_H

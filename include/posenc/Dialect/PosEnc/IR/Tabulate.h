//===- Tabulate.h - A tensor from the formula of an element -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_TABULATE_H
#define POSENC_DIALECT_POSENC_IR_TABULATE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::posenc {

/// Emits element `at` of a tensor.
using EmitElementAt =
    llvm::function_ref<Value(OpBuilder &b, Location loc, ValueRange at)>;

/// A tensor of `type` and `sizes` as one linalg.generic that computes every
/// element by `emit`. `sizes` may know more extents than `type`.
Value tabulate(OpBuilder &b, Location loc, RankedTensorType type,
               ArrayRef<OpFoldResult> sizes, EmitElementAt emit);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_TABULATE_H

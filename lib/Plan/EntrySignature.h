//===- EntrySignature.h - The parts of an entry's interface -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a graph function's interface from its attributes and says what is wrong
// with it; shared by the passes' parts that rewrite entries.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_ENTRYSIGNATURE_H
#define POSENC_LIB_PLAN_ENTRYSIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace mlir::posenc {

/// The interface of a graph function on tensors.
struct EntrySignature {
  struct Input {
    StringAttr name;
    ArrayAttr symbols;
    RankedTensorType type;
    /// The result written over this input.
    std::optional<unsigned> donatedResult;
  };
  struct Result {
    StringAttr name;
    ArrayAttr symbols;
    RankedTensorType type;
    /// The input this result is written over; none for an output.
    std::optional<unsigned> donatedInput;
  };
  SmallVector<Input> inputs;
  SmallVector<Result> results;

  /// Reads the signature of `func`, or says why it cannot be an entry.
  static FailureOr<EntrySignature> read(func::FuncOp func);

  /// The numbers of the results that are outputs, in order.
  SmallVector<unsigned> getOutputs() const;

  /// The dictionary of `func` in the module's posenc.functions.
  DictionaryAttr getDescription(func::FuncOp func) const;
};

/// The memref an entry takes for a tensor: contiguous in the innermost
/// dimension, any stride in the others.
MemRefType getEntryMemRefType(RankedTensorType type);

/// Adds `@NAME__shapes` before `func`, a graph function on tensors: it writes
/// the extents of the outputs and holds the assertions on extents, which leave
/// `func`. Fails where an extent is no function of the inputs' extents.
LogicalResult buildShapesFunction(func::FuncOp func,
                                  const EntrySignature &signature);

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_ENTRYSIGNATURE_H

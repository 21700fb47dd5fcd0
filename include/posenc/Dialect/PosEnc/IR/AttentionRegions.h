//===- AttentionRegions.h - What attention's regions take -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signatures of the regions of posenc.attention, and what their arguments
// count.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ATTENTIONREGIONS_H
#define POSENC_DIALECT_POSENC_IR_ATTENTIONREGIONS_H

#include "mlir/IR/Region.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::posenc {

/// An argument of a region. All but the score are indices.
enum class RegionArgument {
  X, ///< the score, f32
  B,
  H, ///< query head
  G, ///< key head
  I, ///< query row
  J, ///< key row
  QueryPair,
  KeyPair,
  I0, ///< first query row
  I1, ///< end of the query rows
  J0, ///< first key row
  J1, ///< end of the key rows
};

/// The type of what a region yields.
enum class RegionResult { F32, Index, I1 };

/// The arguments and results of one region.
struct RegionSignature {
  StringLiteral name;
  ArrayRef<RegionArgument> arguments;
  ArrayRef<RegionResult> results;

  SmallVector<Type> getArgumentTypes(MLIRContext *context) const;
  SmallVector<Type> getResultTypes(MLIRContext *context) const;
};

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_ATTENTIONREGIONS_H

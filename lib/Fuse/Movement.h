//===- Movement.h - Producers that only move elements -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_FUSE_MOVEMENT_H
#define POSENC_LIB_FUSE_MOVEMENT_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::posenc {

/// Element `x` of a tensor is element `map(x)` of `source`.
struct Movement {
  Value source;
  AffineMap map;
};

/// The movement of the op that produces `tensor`: transposes and broadcasts,
/// named or generic, reshapes, casts. Absent where it computes something, or
/// where a reshape of dynamic extents is not affine.
std::optional<Movement> getMovement(Value tensor);

} // namespace mlir::posenc

#endif // POSENC_LIB_FUSE_MOVEMENT_H

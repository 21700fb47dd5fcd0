//===- AttentionDependences.h - What a region's values are of ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which indices the values of attention's regions depend on.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ATTENTIONDEPENDENCES_H
#define POSENC_DIALECT_POSENC_IR_ATTENTIONDEPENDENCES_H

#include "posenc/Dialect/PosEnc/IR/AttentionRegions.h"
#include "posenc/Formula/Dependence.h"

namespace mlir::posenc {

/// Which index of a formula `argument` is; heads of queries and of keys are
/// one.
Dependence::Index getDependenceIndex(RegionArgument argument);

/// The dependences of all values of a region of posenc.attention.
class Dependences {
public:
  explicit Dependences(Region &region);

  /// What a value of the region, or one that it captures, depends on.
  Dependence of(Value value) const;

private:
  Region *region;
  Recording<DependenceDomain> recording;
};

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_ATTENTIONDEPENDENCES_H

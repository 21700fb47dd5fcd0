//===- AttentionDependences.cpp - What a region's values depend on --------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/AttentionDependences.h"

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

Dependence::Index posenc::getDependenceIndex(RegionArgument argument) {
  switch (argument) {
  case RegionArgument::B:
    return Dependence::Batch;
  case RegionArgument::H:
  case RegionArgument::G:
    return Dependence::Head;
  case RegionArgument::I:
    return Dependence::Row;
  case RegionArgument::J:
    return Dependence::Key;
  default:
    return Dependence::Other;
  }
}

Dependences::Dependences(Region &region) : region(&region) {
  ArrayRef<RegionArgument> arguments =
      AttentionOp::getRegionSignatures()[region.getRegionNumber()].arguments;
  recording.run(region.front(),
                llvm::map_to_vector(arguments, [](RegionArgument argument) {
                  return Dependence::onIndex(getDependenceIndex(argument));
                }));
}

Dependence Dependences::of(Value value) const {
  if (!region->isAncestor(value.getParentRegion()))
    return {};
  // Inside of a loop a trip depends on what another may not.
  if (value.getParentRegion() != region)
    return Dependence::unknown();
  return recording.find(value).value_or(Dependence::unknown());
}

//===- CausalProposal.cpp - Which causal mask a formula may be ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Formula/RegionInterpreter.h"

using namespace mlir;
using namespace mlir::posenc;

/// The key that row `row` sees last; absent if it sees none.
static std::optional<int64_t> findLastKey(const ElementFormula &seen,
                                          Assignment &assignment, int64_t row,
                                          int64_t numKeys) {
  NumberDomain domain = assignment.getDomain();
  auto index = [](int64_t i) { return Number::ofInteger(i); };
  for (int64_t key = numKeys - 1; key >= 0; --key) {
    Number visible =
        interpret(seen.getRegion(),
                  {index(0), index(0), index(row), index(key)}, domain)
            .front();
    if (visible.isInteger() && visible.getInteger())
      return key;
  }
  return std::nullopt;
}

void CausalOp::propose(const ElementFormula &seen, OpBuilder &b,
                       SmallVectorImpl<Operation *> &candidates) {
  auto type = dyn_cast<RankedTensorType>(seen.getTensor().getType());
  if (!type || type.getRank() != 4 || !type.getElementType().isInteger(1) ||
      type.getDimSize(0) != 1 || type.getDimSize(1) != 1)
    return;
  SmallVector<int64_t> offsets;
  Assignment assignments[] = {Assignment(1), Assignment(2)};
  // A formula goes on behind open extents, so that offsets up to the largest
  // drawn integer show.
  int64_t rows = type.isDynamicDim(2) ? 16 : type.getDimSize(2);
  int64_t keys = type.isDynamicDim(3) ? 128 : type.getDimSize(3);
  for (Assignment &assignment : assignments) {
    std::optional<int64_t> first = findLastKey(seen, assignment, 0, keys);
    std::optional<int64_t> last = findLastKey(seen, assignment, rows - 1, keys);
    // Where the first row sees no key, only the last tells the offset.
    std::optional<int64_t> offset = first;
    if (!first && last)
      offset = *last - (rows - 1);
    if (!offset || !last || *last != std::min(*offset + rows - 1, keys - 1) ||
        (rows > 1 && *offset == keys - 1))
      return;
    offsets.push_back(*offset);
  }
  Value offset = findOffset(seen, assignments, offsets);
  if (!offset)
    return;
  OpBuilder before(b.getContext());
  before.setInsertionPointAfterValue(seen.getTensor());
  SmallVector<Value> sizes;
  for (int64_t axis : {2, 3})
    if (type.isDynamicDim(axis))
      sizes.push_back(tensor::DimOp::create(before, seen.getTensor().getLoc(),
                                            seen.getTensor(), axis));
  bool startsAtZero = llvm::all_of(offsets, [](int64_t o) { return o == 0; });
  candidates.push_back(CausalOp::create(b, seen.getTensor().getLoc(), type,
                                        sizes,
                                        startsAtZero ? Value() : offset));
}

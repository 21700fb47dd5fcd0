//===- FactorTables.cpp - What rows of a table have in common -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorTables.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::posenc;

/// The dimensions of a table, as a set of bits, that `value` in its body
/// depends on.
static unsigned getDimensions(Value value, Block &body) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return 1u << index.getDim();
  unsigned dimensions = 0;
  for (Operation *op : getFormulaSlice(value, body))
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      dimensions |= 1u << index.getDim();
  return dimensions;
}

/// The values in the body of `table` that are expensive and depend on some of
/// its dimensions only, by those: the last ones of their kind.
static llvm::MapVector<unsigned, SmallVector<Value>>
findFactors(linalg::GenericOp table) {
  Block &body = *table.getBody();
  unsigned all = (1u << table.getNumLoops()) - 1;
  llvm::MapVector<unsigned, SmallVector<Value>> factors;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() != 1 || isa<linalg::IndexOp>(op))
      continue;
    Value value = op.getResult(0);
    unsigned dimensions = getDimensions(value, body);
    if (dimensions == 0 || dimensions == all)
      continue;
    bool isLast = llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *inBody = body.findAncestorOpInBlock(*user);
      return inBody == body.getTerminator() ||
             getDimensions(inBody->getResult(0), body) != dimensions;
    });
    bool isExpensive =
        llvm::any_of(getFormulaSlice(value, body), [&](Operation *inner) {
          return isCostlierThanRead(inner) &&
                 getDimensions(inner->getResult(0), body);
        });
    if (isLast && isExpensive)
      factors[dimensions].push_back(value);
  }
  return factors;
}

/// Computes `values` of the body of `table` over `dimensions` alone.
static linalg::GenericOp buildFactors(OpBuilder &b, linalg::GenericOp table,
                                      ArrayRef<unsigned> dimensions,
                                      ArrayRef<Value> values) {
  Location loc = table.getLoc();
  SmallVector<OpFoldResult> sizes;
  for (unsigned dimension : dimensions)
    sizes.push_back(
        tensor::getMixedSize(b, loc, table.getDpsInits()[0], dimension));
  SmallVector<Value> inits;
  for (Value value : values)
    inits.push_back(tensor::EmptyOp::create(b, loc, sizes, value.getType()));
  SmallVector<AffineMap> maps(values.size(),
                              b.getMultiDimIdentityMap(dimensions.size()));
  SmallVector<utils::IteratorType> iterators(dimensions.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, ValueRange(inits).getTypes(), /*inputs=*/ValueRange(), inits,
      maps, iterators, [&](OpBuilder &b, Location loc, ValueRange) {
        IRMapping map;
        for (Operation *op : getFormulaSlice(values, *table.getBody())) {
          if (auto index = dyn_cast<linalg::IndexOp>(op))
            map.map(
                index.getResult(),
                linalg::IndexOp::create(b, loc,
                                        llvm::find(dimensions, index.getDim()) -
                                            dimensions.begin()));
          else
            b.clone(*op, map);
        }
        linalg::YieldOp::create(b, loc,
                                llvm::map_to_vector(values, [&](Value value) {
                                  return map.lookup(value);
                                }));
      });
}

void posenc::factorTable(linalg::GenericOp table) {
  bool isTable = table.getNumDpsInputs() == 0 &&
                 table.hasPureTensorSemantics() &&
                 table.getNumLoops() == table.getNumParallelLoops() &&
                 llvm::all_of(table.getIndexingMapsArray(),
                              [](AffineMap map) { return map.isIdentity(); });
  if (!isTable)
    return;
  for (auto &[set, values] : findFactors(table)) {
    SmallVector<unsigned> dimensions;
    for (unsigned d = 0; d < table.getNumLoops(); ++d)
      if (set & (1u << d))
        dimensions.push_back(d);
    OpBuilder b(table);
    linalg::GenericOp factors = buildFactors(b, table, dimensions, values);
    for (auto [value, factor] : llvm::zip_equal(values, factors.getResults())) {
      b.setInsertionPointAfterValue(value);
      SmallVector<Value> at;
      for (unsigned dimension : dimensions)
        at.push_back(linalg::IndexOp::create(b, value.getLoc(), dimension));
      value.replaceAllUsesWith(
          tensor::ExtractOp::create(b, value.getLoc(), factor, at));
    }
  }
}

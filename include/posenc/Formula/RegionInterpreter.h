//===- RegionInterpreter.h - One walk, many domains -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula is a block of formula ops. interpret() walks it once and asks a
// *domain* what each op means: a number, the indices it depends on, an
// interval, vector code.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_REGIONINTERPRETER_H
#define POSENC_FORMULA_REGIONINTERPRETER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::posenc {

/// Interprets a block of formula ops and returns the meaning of its
/// terminator's operands. A domain has
///
///   using Value = ...;                    the meaning of one SSA value
///   Value capture(mlir::Value value);     of a value defined outside the block
///   Value index(int64_t constant);        of a constant index
///   SmallVector<Value> apply(Operation *op, ArrayRef<Value> operands);
///
/// and `arguments` are the meanings of the block's arguments. `apply` sees
/// every formula op but scf.for, which is interpreted a trip at a time: formula
/// ops are only those with few constant trips (isFormulaOp). A domain that
/// emits code may keep loops instead, by
///
///   bool keepsLoop(scf::ForOp loop);
///   SmallVector<Value> emitLoop(scf::ForOp loop, ArrayRef<Value> carried,
///       function_ref<SmallVector<Value>(ArrayRef<Value> arguments)>
///       interpret);
///
/// of which the latter has the body interpreted once, on arguments of its own.
template <typename Domain> class RegionInterpreter {
public:
  using Value = typename Domain::Value;

  explicit RegionInterpreter(Domain &domain) : domain(domain) {}

  SmallVector<Value> interpret(Block &block, ArrayRef<Value> arguments) {
    for (auto [argument, meaning] :
         llvm::zip_equal(block.getArguments(), arguments))
      meanings.insert_or_assign(argument, meaning);
    for (Operation &op : block.without_terminator()) {
      SmallVector<Value> results;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        results = interpretLoop(loop);
      else
        results = domain.apply(&op, lookup(op.getOperands()));
      for (auto [result, meaning] : llvm::zip_equal(op.getResults(), results))
        meanings.insert_or_assign(result, meaning);
    }
    return lookup(block.getTerminator()->getOperands());
  }

  /// The meanings of all values that were met.
  llvm::DenseMap<mlir::Value, Value> takeMeanings() {
    return std::move(meanings);
  }

private:
  template <typename D>
  using KeepsLoop =
      decltype(std::declval<D &>().keepsLoop(std::declval<scf::ForOp>()));

  SmallVector<Value> interpretLoop(scf::ForOp loop) {
    int64_t lower = getConstantIntValue(loop.getLowerBound()).value();
    int64_t step = getConstantIntValue(loop.getStep()).value();
    SmallVector<Value> carried = lookup(loop.getInitArgs());
    if constexpr (llvm::is_detected<KeepsLoop, Domain>::value)
      if (domain.keepsLoop(loop))
        return domain.emitLoop(loop, carried, [&](ArrayRef<Value> arguments) {
          return interpret(*loop.getBody(), arguments);
        });
    int64_t trips = loop.getStaticTripCount()->getZExtValue();
    for (int64_t trip = 0; trip < trips; ++trip) {
      SmallVector<Value> arguments = {domain.index(lower + trip * step)};
      arguments.append(carried);
      carried = interpret(*loop.getBody(), arguments);
    }
    return carried;
  }

  SmallVector<Value> lookup(OperandRange operands) {
    SmallVector<Value> found;
    for (mlir::Value operand : operands) {
      auto it = meanings.find(operand);
      if (it == meanings.end())
        it = meanings.try_emplace(operand, domain.capture(operand)).first;
      found.push_back(it->second);
    }
    return found;
  }

  Domain &domain;
  llvm::DenseMap<mlir::Value, Value> meanings;
};

/// The meaning in `domain` of what `region` yields for `arguments`.
template <typename Domain>
SmallVector<typename Domain::Value>
interpret(Region &region, ArrayRef<typename Domain::Value> arguments,
          Domain &domain) {
  return RegionInterpreter<Domain>(domain).interpret(region.front(), arguments);
}

} // namespace mlir::posenc

#endif // POSENC_FORMULA_REGIONINTERPRETER_H

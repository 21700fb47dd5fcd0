//===- SymbolicExtent.cpp - Sizes as products of extents ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/SymbolicExtent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;

std::optional<int64_t> SymbolicExtent::getConstant() const {
  if (!factors.empty() && coefficient != 0)
    return std::nullopt;
  return coefficient;
}

bool SymbolicExtent::isNonNegative() const {
  return coefficient >= 0 && llvm::all_of(factors, [](const Factor &factor) {
           return factor.axis.has_value();
         });
}

std::optional<SymbolicExtent>
SymbolicExtent::divideBy(const SymbolicExtent &divisor) const {
  if (divisor.coefficient == 0 ||
      (coefficient == INT64_MIN && divisor.coefficient == -1) ||
      coefficient % divisor.coefficient != 0)
    return std::nullopt;
  SymbolicExtent quotient(coefficient / divisor.coefficient);
  quotient.factors = factors;
  for (const Factor &factor : divisor.factors) {
    auto *it = llvm::find(quotient.factors, factor);
    if (it == quotient.factors.end())
      return std::nullopt;
    quotient.factors.erase(it);
  }
  return quotient;
}

SymbolicExtent posenc::operator*(SymbolicExtent a, const SymbolicExtent &b) {
  a.coefficient *= b.coefficient;
  a.factors.append(b.factors);
  return a;
}

bool posenc::operator==(const SymbolicExtent &a, const SymbolicExtent &b) {
  std::optional<SymbolicExtent> quotient = a.divideBy(b);
  return a.coefficient == b.coefficient && quotient &&
         quotient->factors.empty();
}

SymbolicExtent SymbolicExtent::of(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return SymbolicExtent(*constant);
  return ofValue(cast<Value>(size));
}

SymbolicExtent SymbolicExtent::ofValue(Value integer) {
  if (std::optional<int64_t> constant = getConstantIntValue(integer))
    return SymbolicExtent(*constant);
  Operation *op = integer.getDefiningOp();
  if (!op)
    return SymbolicExtent(Factor{integer, std::nullopt});
  return TypeSwitch<Operation *, SymbolicExtent>(op)
      .Case([&](arith::IndexCastOp cast) {
        return isCastOfPositions(cast)
                   ? ofValue(cast.getIn())
                   : SymbolicExtent(Factor{integer, std::nullopt});
      })
      .Case([&](arith::MulIOp product) {
        SymbolicExtent x = ofValue(product.getLhs());
        SymbolicExtent y = ofValue(product.getRhs());
        int64_t coefficient;
        bool overflows =
            llvm::MulOverflow(x.coefficient, y.coefficient, coefficient);
        return overflows || !holdsPositions(product.getType())
                   ? SymbolicExtent(Factor{integer, std::nullopt})
                   : x * y;
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto quotient) {
        return ofValue(quotient.getLhs())
            .divideBy(ofValue(quotient.getRhs()))
            .value_or(SymbolicExtent(Factor{integer, std::nullopt}));
      })
      .Case([&](tensor::DimOp dim) {
        std::optional<int64_t> axis = dim.getConstantIndex();
        // The verifier lets an axis pass that the tensor does not have.
        auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
        return axis && type && *axis >= 0 && *axis < type.getRank()
                   ? ofAxis(dim.getSource(), *axis)
                   : SymbolicExtent(Factor{integer, std::nullopt});
      })
      .Default([&](Operation *) {
        return SymbolicExtent(Factor{integer, std::nullopt});
      });
}

/// The first argument axis of the function with the symbol of this one.
static SymbolicExtent::Factor getSymbol(BlockArgument argument, int64_t axis) {
  SymbolicExtent::Factor itself{argument, axis};
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return itself;
  auto symbolsOf = [&](unsigned number) {
    return function.getArgAttrOfType<ArrayAttr>(number, kSymbolsAttr);
  };
  ArrayAttr own = symbolsOf(argument.getArgNumber());
  auto symbol = own && axis < static_cast<int64_t>(own.size())
                    ? dyn_cast<StringAttr>(own[axis])
                    : StringAttr();
  if (!symbol || symbol.empty())
    return itself;
  for (BlockArgument other : function.getArguments())
    if (ArrayAttr symbols = symbolsOf(other.getArgNumber()))
      for (auto [position, attribute] : llvm::enumerate(symbols))
        if (attribute == symbol)
          return {other, static_cast<int64_t>(position)};
  return itself;
}

/// The axis of the source that axis `axis` of a slice comes from.
static int64_t getSlicedAxis(tensor::ExtractSliceOp slice, int64_t axis) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  int64_t source = 0;
  for (;; ++source) {
    if (dropped[source])
      continue;
    if (axis-- == 0)
      return source;
  }
}

SymbolicExtent SymbolicExtent::ofAxis(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return SymbolicExtent(type.getDimSize(axis));
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return SymbolicExtent(getSymbol(argument, axis));
  SymbolicExtent unknown(Factor{tensor, axis});
  return TypeSwitch<Operation *, SymbolicExtent>(tensor.getDefiningOp())
      .Case<tensor::EmptyOp, tensor::GenerateOp>([&](auto op) {
        return ofValue(op->getOperand(type.getDynamicDimIndex(axis)));
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return of(op.getMixedOutputShape()[axis]);
      })
      .Case([&](tensor::CollapseShapeOp op) {
        SymbolicExtent product(1);
        ReassociationIndices parts = op.getReassociationIndices()[axis];
        for (int64_t part : parts)
          product = product * ofAxis(op.getSrc(), part);
        return product;
      })
      .Case([&](tensor::ExtractSliceOp op) {
        return of(op.getMixedSizes()[getSlicedAxis(op, axis)]);
      })
      .Case([&](tensor::ReshapeOp op) {
        auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
        return shape ? ofValue(shape.getElements()[axis]) : unknown;
      })
      .Case([&](tensor::CastOp op) {
        return isa<RankedTensorType>(op.getSource().getType())
                   ? ofAxis(op.getSource(), axis)
                   : unknown;
      })
      .Case([&](tensor::ConcatOp op) {
        return static_cast<int64_t>(op.getDim()) == axis
                   ? unknown
                   : ofAxis(op.getInputs().front(), axis);
      })
      .Case([&](RotaryOpInterface op) {
        return ofAxis(op.getRotatedOperand().get(), axis);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return ofAxis(
            op.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())
                ->get(),
            axis);
      })
      .Default([&](Operation *op) {
        return OpTrait::hasElementwiseMappableTraits(op)
                   ? ofAxis(op->getOperand(0), axis)
                   : unknown;
      });
}

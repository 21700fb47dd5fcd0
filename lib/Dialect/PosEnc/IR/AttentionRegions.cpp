//===- AttentionRegions.cpp - What attention's regions take ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

SmallVector<Type>
RegionSignature::getArgumentTypes(MLIRContext *context) const {
  return llvm::map_to_vector(arguments, [&](RegionArgument argument) -> Type {
    if (argument == RegionArgument::X)
      return Float32Type::get(context);
    return IndexType::get(context);
  });
}

SmallVector<Type> RegionSignature::getResultTypes(MLIRContext *context) const {
  return llvm::map_to_vector(results, [&](RegionResult result) -> Type {
    switch (result) {
    case RegionResult::F32:
      return Float32Type::get(context);
    case RegionResult::Index:
      return IndexType::get(context);
    case RegionResult::I1:
      return IntegerType::get(context, 1);
    }
    llvm_unreachable("every kind of result has its type");
  });
}

ArrayRef<RegionSignature> AttentionOp::getRegionSignatures() {
  using Is = RegionArgument;
  using Result = RegionResult;
  static constexpr Is score[] = {Is::X, Is::B, Is::H, Is::I, Is::J};
  static constexpr Is mask[] = {Is::B, Is::H, Is::I, Is::J};
  static constexpr Is rotateQuery[] = {Is::B, Is::H, Is::I, Is::QueryPair};
  static constexpr Is rotateKey[] = {Is::B, Is::G, Is::J, Is::KeyPair};
  static constexpr Is bounds[] = {Is::B, Is::H, Is::I0, Is::I1};
  static constexpr Is tile[] = {Is::B, Is::H, Is::I0, Is::I1, Is::J0, Is::J1};
  static constexpr Result real[] = {Result::F32};
  static constexpr Result reals[] = {Result::F32, Result::F32};
  static constexpr Result condition[] = {Result::I1};
  static constexpr Result conditions[] = {Result::I1, Result::I1};
  static constexpr Result ends[] = {Result::Index, Result::Index, Result::Index,
                                    Result::Index};
  static const RegionSignature signatures[] = {
      {"score", score, real},
      {"mask", mask, condition},
      {"rotate_query", rotateQuery, reals},
      {"rotate_key", rotateKey, reals},
      {"bounds", bounds, ends},
      {"tile", tile, conditions},
  };
  return signatures;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<RegionArgument> AttentionOp::getRegionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument ||
      !isa_and_nonnull<AttentionOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  unsigned region = argument.getOwner()->getParent()->getRegionNumber();
  return getRegionSignatures()[region].arguments[argument.getArgNumber()];
}

Block *AttentionOp::createRegionBlock(OpBuilder &b, Region &region) {
  const RegionSignature &signature =
      getRegionSignatures()[region.getRegionNumber()];
  SmallVector<Type> types = signature.getArgumentTypes(getContext());
  return b.createBlock(&region, {}, types,
                       SmallVector<Location>(types.size(), getLoc()));
}

std::optional<std::pair<Value, int64_t>>
AttentionOp::getIndexedDimension(RegionArgument index) {
  auto query = [&](int64_t axis) {
    return std::pair(Value(getQuery()), getAxis(getQueryLayout(), axis));
  };
  auto key = [&](int64_t axis) {
    return std::pair(Value(getKey()), getAxis(getKeyLayout(), axis));
  };
  switch (index) {
  case RegionArgument::B:
    return query(0);
  case RegionArgument::H:
    return query(1);
  case RegionArgument::I:
    return query(2);
  case RegionArgument::G:
    return key(1);
  case RegionArgument::J:
    // With a block table the rows of `key` are those of one page.
    if (getBlockTable())
      return std::nullopt;
    return key(2);
  default:
    return std::nullopt;
  }
}

/// The extent of dimension `dim` of a tensor or memref.
static OpFoldResult getDim(OpBuilder &b, Location loc, Value operand,
                           int64_t dim) {
  if (isa<TensorType>(operand.getType()))
    return tensor::getMixedSize(b, loc, operand, dim);
  return memref::getMixedSize(b, loc, operand, dim);
}

OpFoldResult AttentionOp::getExtent(OpBuilder &b, RegionArgument index) {
  if (index == RegionArgument::QueryPair)
    return b.getIndexAttr(getQueryLanes()->getNumPairs());
  if (index == RegionArgument::KeyPair)
    return b.getIndexAttr(getKeyLanes()->getNumPairs());
  if (auto indexed = getIndexedDimension(index))
    return getDim(b, getLoc(), indexed->first, indexed->second);
  assert(index == RegionArgument::J && "neither scores nor ends of ranges run "
                                       "over an extent");
  Value pages = getValueOrCreateConstantIndexOp(
      b, getLoc(), getDim(b, getLoc(), getBlockTable(), 1));
  Value pageSize = getValueOrCreateConstantIndexOp(
      b, getLoc(), getDim(b, getLoc(), getKey(), getAxis(getKeyLayout(), 2)));
  return arith::MulIOp::create(b, getLoc(), pages, pageSize).getResult();
}

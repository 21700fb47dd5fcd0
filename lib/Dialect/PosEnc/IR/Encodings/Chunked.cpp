//===- Chunked.cpp - The mask of chunks -----------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult ChunkedOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(1) != 1 ||
      (!getStarts() && type.getDimSize(0) != 1)) // C1
    return emitOpError() << "result is " << type
                         << "; chunks are the same for every head, and without "
                            "'starts' for every batch, so it must be "
                         << (getStarts() ? "[B, 1, Lq, Lk]" : "[1, 1, Lq, Lk]");
  if (getStarts()) {
    int64_t starts = getStarts().getType().getDimSize(0);
    if (!extentsMayAgree(starts, type.getDimSize(0))) // C2
      return emitOpError() << "has " << starts << " 'starts' for a batch of "
                           << type.getDimSize(0) << "; one each is needed";
  }
  auto chunk = static_cast<int64_t>(getChunk());
  if (chunk <= 0) // C3
    return emitOpError() << "'chunk' is " << chunk
                         << "; a chunk has at least one token";
  return verifySizes(*this, getSizes(), type); // C4
}

Value ChunkedOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value chunk = arith::ConstantIndexOp::create(b, loc, getChunk());
  Value start;
  if (getStarts())
    start = castToIndex(b, loc,
                        tensor::ExtractOp::create(b, loc, getStarts(), at[0]));
  // The keys of the row's chunk are from `first` to before `end`: linear in the
  // key, so that Plan knows them exactly.
  Value row = addOptional(b, loc, at[2], getOffset());
  if (start)
    row = arith::SubIOp::create(b, loc, row, start);
  Value number = arith::FloorDivSIOp::create(b, loc, row, chunk);
  Value first =
      addOptional(b, loc, arith::MulIOp::create(b, loc, number, chunk), start);
  Value end = arith::AddIOp::create(b, loc, first, chunk);
  return arith::AndIOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at[3], first),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at[3], end));
}

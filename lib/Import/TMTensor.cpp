//===- TMTensor.cpp - The op of torch-mlir that stock MLIR lacks ---*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Import/TMTensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::posenc::tm_tensor;

#include "posenc/Import/TMTensorDialect.cpp.inc"

#define GET_OP_CLASSES
#include "posenc/Import/TMTensorOps.cpp.inc"

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "posenc/Import/TMTensorOps.cpp.inc"
      >();
}

LogicalResult ScanOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  int64_t dimension = static_cast<int64_t>(getDimension());
  if (dimension < 0 || dimension >= input.getRank())
    return emitOpError("dimension ")
           << dimension << " is not one of the " << input.getRank()
           << " dimensions of " << input;
  auto total = RankedTensorType::Builder(input).dropDim(
      static_cast<unsigned>(dimension));
  for (Value value : {getOutputInit(), getOutput()})
    if (value.getType() != input)
      return emitOpError("output is ") << value.getType() << "; it must be "
                                       << input << " as the input is";
  for (Value value : {getAccumulatorInit(), getAccumulator()})
    if (value.getType() != RankedTensorType(total))
      return emitOpError("accumulator is ")
             << value.getType() << "; it must be " << RankedTensorType(total)
             << ", the input without dimension " << dimension;
  Type element = input.getElementType();
  Block &body = getCombiner().front();
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getResult().getType() != element ||
      body.getNumArguments() != 2 ||
      !llvm::all_of(body.getArgumentTypes(),
                    [&](Type type) { return type == element; }))
    return emitOpError("must combine two elements of type ")
           << element << " to one";
  return success();
}

//===- AttentionBufferization.cpp - From tensors to memrefs ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model one-shot bufferization asks: destinations are written, not read;
// regions run many times and only read.
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/BufferizableOpInterfaceImpl.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::bufferization;

namespace {
struct AttentionModel
    : DstBufferizableOpInterfaceExternalModel<AttentionModel, AttentionOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  bool isRepetitiveRegion(Operation *, unsigned) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    SmallVector<Value> outputs;
    for (OpOperand &init :
         cast<DestinationStyleOpInterface>(op).getDpsInitsMutable())
      outputs.push_back(operands[init.getOperandNumber()]);

    OperationState onMemrefs(op->getLoc(), op->getName(), operands, TypeRange(),
                             op->getAttrs());
    onMemrefs.propertiesAttr = op->getPropertiesAsAttribute();
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      onMemrefs.addRegion();
    Operation *created = rewriter.create(onMemrefs);
    for (auto [from, to] : llvm::zip(op->getRegions(), created->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.begin());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};
} // namespace

void posenc::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PosEncDialect *) {
    AttentionOp::attachInterface<AttentionModel>(*context);
  });
}

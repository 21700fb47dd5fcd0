//===- EmitBodies.cpp - What the C functions call -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: the LLVM dialect, bodies @NAME and @NAME__shapes that take memref
// descriptors word by word. After: in addition @NAME__body and
// @NAME__shapes_body, which take the address of the words.
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "posenc/Object/Entry.h"
#include "posenc/Object/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_EMITBODIESPASS
#include "posenc/Object/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// The words of the descriptor of a vector, the last operand of shapes bodies.
static constexpr int64_t kVectorWords = 5;

namespace {
class BodyEmitter {
public:
  explicit BodyEmitter(ModuleOp module)
      : module(module), symbols(module), b(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult emit(const EntryFunction &entry);

private:
  LLVM::LLVMFuncOp takeBody(const EntryFunction &entry, StringRef name,
                            StringRef newName, int64_t words);
  Block *createFunction(StringRef name, unsigned numPointers);
  SmallVector<Value> loadDescriptors(LLVM::LLVMFuncOp body, int64_t words,
                                     Value descriptors);
  void emitCompute(const EntryFunction &entry, LLVM::LLVMFuncOp body);
  void emitShapes(const EntryFunction &entry, LLVM::LLVMFuncOp body);
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc(), b.getI64IntegerAttr(value));
  }
  Location loc() { return module.getLoc(); }

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder b;
  Type pointer;
};
} // namespace

/// The compiled body `name`, renamed and private; its operands are `words`
/// words of descriptors.
LLVM::LLVMFuncOp BodyEmitter::takeBody(const EntryFunction &entry,
                                       StringRef name, StringRef newName,
                                       int64_t words) {
  auto body = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (!body || body.isExternal()) {
    module.emitError() << kFunctionsAttr << " names '" << entry.name
                       << "', but the module has no body @" << name;
    return nullptr;
  }
  if (int64_t(body.getNumArguments()) != words) {
    body.emitError("takes ")
        << body.getNumArguments() << " descriptor words, but " << kFunctionsAttr
        << " says " << words;
    return nullptr;
  }
  if (name != newName && failed(symbols.rename(body, newName)))
    return nullptr;
  body.setLinkage(LLVM::Linkage::Internal);
  return body;
}

/// A function of `numPointers` pointers that the C functions see; `b` fills it.
Block *BodyEmitter::createFunction(StringRef name, unsigned numPointers) {
  b.setInsertionPointToEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc(), name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  SmallVector<Type>(numPointers, pointer)));
  symbols.insert(function);
  Block *block = function.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  return block;
}

/// The first `words` operands of `body`, loaded from consecutive words.
SmallVector<Value> BodyEmitter::loadDescriptors(LLVM::LLVMFuncOp body,
                                                int64_t words,
                                                Value descriptors) {
  SmallVector<Value> operands;
  for (int64_t at = 0; at < words; ++at)
    operands.push_back(LLVM::LoadOp::create(
        b, loc(), body.getArgumentTypes()[at],
        LLVM::GEPOp::create(b, loc(), pointer, b.getI64Type(), descriptors,
                            ArrayRef<LLVM::GEPArg>{int32_t(at)})));
  return operands;
}

void BodyEmitter::emitCompute(const EntryFunction &entry,
                              LLVM::LLVMFuncOp body) {
  Block *block = createFunction(entry.getComputeName(), 1);
  LLVM::CallOp::create(
      b, loc(), body,
      loadDescriptors(body, body.getNumArguments(), block->getArgument(0)));
  LLVM::ReturnOp::create(b, loc(), ValueRange());
}

void BodyEmitter::emitShapes(const EntryFunction &entry,
                             LLVM::LLVMFuncOp body) {
  Block *block = createFunction(entry.getShapesBodyName(), 2);
  Value descriptors = block->getArgument(0), dims = block->getArgument(1);
  SmallVector<Value> operands =
      loadDescriptors(body, body.getNumArguments() - kVectorWords, descriptors);
  operands.append(
      {dims, dims, constant(0), constant(entry.getNumExtents()), constant(1)});
  LLVM::CallOp::create(b, loc(), body, operands);
  LLVM::ReturnOp::create(b, loc(), ValueRange());
}

LogicalResult BodyEmitter::emit(const EntryFunction &entry) {
  int64_t inputWords = 0, words = 0;
  for (const EntryArgument &argument : entry.arguments) {
    words += argument.getDescriptorWords();
    inputWords += argument.isOutput ? 0 : argument.getDescriptorWords();
  }
  std::string shapesName = (entry.name + kShapesSuffix).str();
  LLVM::LLVMFuncOp body =
      takeBody(entry, entry.name, (entry.name + "__compute").str(), words);
  if (!body)
    return failure();
  LLVM::LLVMFuncOp shapesBody =
      takeBody(entry, shapesName, shapesName, inputWords + kVectorWords);
  if (!shapesBody)
    return failure();
  emitCompute(entry, body);
  emitShapes(entry, shapesBody);
  return success();
}

namespace {
struct EmitBodiesPass : posenc::impl::EmitBodiesPassBase<EmitBodiesPass> {
  using EmitBodiesPassBase::EmitBodiesPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<EntryFunction>> entries = readEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    BodyEmitter emitter(getOperation());
    for (const EntryFunction &entry : *entries)
      if (failed(emitter.emit(entry)))
        return signalPassFailure();
  }
};
} // namespace

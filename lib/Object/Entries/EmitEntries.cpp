//===- EmitEntries.cpp - The C functions that take DLTensors --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: the LLVM dialect, bodies @NAME and @NAME__shapes that take memref
// descriptors. After: in addition the C functions @NAME and @NAME_shapes with
// their tables, in the sequence that lib/Runtime/posenc_runtime.h describes.
//
//===----------------------------------------------------------------------===//

#include "ConstantTables.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "posenc/Object/Passes.h"

#include "mlir/IR/SymbolTable.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_EMITENTRIESPASS
#include "posenc/Object/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {

/// The words of a memref descriptor: two pointers, offset, sizes, strides.
int64_t descriptorWords(const EntryArgument &argument) {
  return 3 + 2 * argument.type.getRank();
}

class EntryEmitter {
public:
  EntryEmitter(ModuleOp module, uint32_t requiredFeatures)
      : module(module), symbols(module), tables(module), b(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        requiredFeatures(requiredFeatures) {}

  LogicalResult emit(const EntryFunction &entry);
  /// Exports the table of all that was emitted.
  void emitLibrary() { tables.addLibrary(functionTables); }

private:
  LLVM::LLVMFuncOp takeBody(const EntryFunction &entry, StringRef name,
                            StringRef newName, int64_t words);
  LLVM::LLVMFuncOp emitBodyAdapter(const EntryFunction &entry,
                                   LLVM::LLVMFuncOp body);
  void emitFunction(const EntryFunction &entry, LLVM::GlobalOp table,
                    LLVM::LLVMFuncOp shapesBody, LLVM::LLVMFuncOp adapter);

  /// Calls a function of the runtime.
  Value call(StringRef name, Type result, ValueRange operands);
  /// Returns `code` from the function where it is not zero.
  void returnIfFailed(Value code);
  void callShapesBody(const EntryFunction &entry, LLVM::LLVMFuncOp body,
                      Value descriptors, Value dims);
  SmallVector<Value> loadDescriptors(LLVM::LLVMFuncOp body, int64_t words,
                                     Value descriptors);
  Value constant(int64_t value, unsigned bits = 64) {
    Type type = b.getIntegerType(bits);
    return LLVM::ConstantOp::create(b, loc(), type,
                                    b.getIntegerAttr(type, value));
  }
  Value stackArray(Type element, int64_t count) {
    return LLVM::AllocaOp::create(b, loc(), pointer, element,
                                  constant(std::max<int64_t>(count, 1)));
  }
  Value elementAddress(Type element, Value array, int64_t at) {
    return LLVM::GEPOp::create(b, loc(), pointer, element, array,
                               ArrayRef<LLVM::GEPArg>{int32_t(at)});
  }
  Location loc() { return module.getLoc(); }

  ModuleOp module;
  SymbolTable symbols;
  ConstantTables tables;
  SmallVector<LLVM::GlobalOp> functionTables;
  OpBuilder b;
  Type pointer;
  uint32_t requiredFeatures;
};

/// The compiled body `name`, renamed and private; its operands are `words`
/// words of descriptors.
LLVM::LLVMFuncOp EntryEmitter::takeBody(const EntryFunction &entry,
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

Value EntryEmitter::call(StringRef name, Type result, ValueRange operands) {
  auto callee = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(
        b, loc(), name,
        LLVM::LLVMFunctionType::get(result,
                                    llvm::to_vector(operands.getTypes())));
    symbols.insert(callee);
  }
  return LLVM::CallOp::create(b, loc(), callee, operands).getResult();
}

void EntryEmitter::returnIfFailed(Value code) {
  Block *here = b.getInsertionBlock();
  Region *region = here->getParent();
  Block *leave = b.createBlock(region, region->end());
  LLVM::ReturnOp::create(b, loc(), code);
  Block *next = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(here);
  Value failed = LLVM::ICmpOp::create(b, loc(), LLVM::ICmpPredicate::ne, code,
                                      constant(0, 32));
  LLVM::CondBrOp::create(b, loc(), failed, leave, next);
  b.setInsertionPointToEnd(next);
}

/// The first `words` operands of `body`, loaded from consecutive words.
SmallVector<Value> EntryEmitter::loadDescriptors(LLVM::LLVMFuncOp body,
                                                 int64_t words,
                                                 Value descriptors) {
  SmallVector<Value> operands;
  for (int64_t at = 0; at < words; ++at)
    operands.push_back(
        LLVM::LoadOp::create(b, loc(), body.getArgumentTypes()[at],
                             elementAddress(b.getI64Type(), descriptors, at)));
  return operands;
}

/// `void NAME__body(int64_t *descriptors)`, which posenc_rt_run calls.
LLVM::LLVMFuncOp EntryEmitter::emitBodyAdapter(const EntryFunction &entry,
                                               LLVM::LLVMFuncOp body) {
  b.setInsertionPointToEnd(module.getBody());
  auto adapter = LLVM::LLVMFuncOp::create(
      b, loc(), (entry.name + "__body").str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {pointer}),
      LLVM::Linkage::Internal);
  symbols.insert(adapter);
  Block *block = adapter.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  LLVM::CallOp::create(
      b, loc(), body,
      loadDescriptors(body, body.getNumArguments(), block->getArgument(0)));
  LLVM::ReturnOp::create(b, loc(), ValueRange());
  return adapter;
}

void EntryEmitter::callShapesBody(const EntryFunction &entry,
                                  LLVM::LLVMFuncOp body, Value descriptors,
                                  Value dims) {
  constexpr int64_t vectorWords = 5;
  int64_t words = body.getNumArguments() - vectorWords;
  SmallVector<Value> operands = loadDescriptors(body, words, descriptors);
  int64_t extents = 0;
  for (const EntryArgument &output : entry.getOutputs())
    extents += output.type.getRank();
  operands.append({dims, dims, constant(0), constant(extents), constant(1)});
  LLVM::CallOp::create(b, loc(), body, operands);
}

/// NAME, or NAME_shapes where there is no `adapter`.
void EntryEmitter::emitFunction(const EntryFunction &entry,
                                LLVM::GlobalOp table,
                                LLVM::LLVMFuncOp shapesBody,
                                LLVM::LLVMFuncOp adapter) {
  b.setInsertionPointToEnd(module.getBody());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  SmallVector<Type> operands(entry.arguments.size(), pointer);
  auto function = LLVM::LLVMFuncOp::create(
      b, loc(), adapter ? entry.name.str() : entry.getShapesName(),
      LLVM::LLVMFunctionType::get(i32, operands));
  symbols.insert(function);
  Block *block = function.addEntryBlock(b);
  b.setInsertionPointToStart(block);

  int64_t words = 0, extents = 0;
  for (const EntryArgument &argument : entry.arguments)
    words += descriptorWords(argument);
  for (const EntryArgument &output : entry.getOutputs())
    extents += output.type.getRank();
  Value arguments = stackArray(pointer, entry.arguments.size());
  Value descriptors = stackArray(i64, words);
  Value dims = stackArray(i64, extents);
  for (auto [at, argument] : llvm::enumerate(block->getArguments()))
    LLVM::StoreOp::create(b, loc(), argument,
                          elementAddress(pointer, arguments, at));
  Value tableAddress = LLVM::AddressOfOp::create(b, loc(), table);
  if (requiredFeatures) {
    Value name =
        LLVM::AddressOfOp::create(b, loc(), tables.addString(entry.name));
    returnIfFailed(call("posenc_rt_require_cpu", i32,
                        {constant(requiredFeatures, 32), name}));
  }
  returnIfFailed(call("posenc_rt_check_inputs", i32,
                      {tableAddress, arguments, descriptors}));
  callShapesBody(entry, shapesBody, descriptors, dims);
  returnIfFailed(call("posenc_rt_status", i32, {}));
  Value code;
  if (adapter) {
    returnIfFailed(call("posenc_rt_check_outputs", i32,
                        {tableAddress, arguments, dims, descriptors}));
    Value body = LLVM::AddressOfOp::create(b, loc(), adapter);
    code = call("posenc_rt_run", i32, {body, descriptors});
  } else {
    code =
        call("posenc_rt_report_shapes", i32, {tableAddress, arguments, dims});
  }
  LLVM::ReturnOp::create(b, loc(), code);
}

LogicalResult EntryEmitter::emit(const EntryFunction &entry) {
  int64_t inputWords = 0, words = 0;
  for (const EntryArgument &argument : entry.arguments) {
    words += descriptorWords(argument);
    inputWords += argument.isOutput ? 0 : descriptorWords(argument);
  }
  std::string shapesName = (entry.name + kShapesSuffix).str();
  LLVM::LLVMFuncOp body =
      takeBody(entry, entry.name, (entry.name + "__compute").str(), words);
  if (!body)
    return failure();
  LLVM::LLVMFuncOp shapesBody =
      takeBody(entry, shapesName, shapesName, inputWords + 5);
  if (!shapesBody)
    return failure();
  LLVM::LLVMFuncOp adapter = emitBodyAdapter(entry, body);
  LLVM::GlobalOp table = tables.addFunction(entry);
  functionTables.push_back(table);
  emitFunction(entry, table, shapesBody, adapter);
  emitFunction(entry, table, shapesBody, nullptr);
  return success();
}

struct EmitEntriesPass : posenc::impl::EmitEntriesPassBase<EmitEntriesPass> {
  using EmitEntriesPassBase::EmitEntriesPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<EntryFunction>> entries = readEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    EntryEmitter emitter(getOperation(), requiredFeatures);
    for (const EntryFunction &entry : *entries)
      if (failed(emitter.emit(entry)))
        return signalPassFailure();
    emitter.emitLibrary();
  }
};

} // namespace

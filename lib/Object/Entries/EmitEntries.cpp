//===- EmitEntries.cpp - The C functions that take DLTensors --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module with `posenc.functions`. After: in addition the C
// functions
// @NAME and @NAME_shapes with their tables, in the sequence that
// lib/Runtime/posenc_runtime.h describes, and declarations of the bodies.
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
class EntryEmitter {
public:
  EntryEmitter(ModuleOp module, ArrayRef<const CPULevel *> levels)
      : module(module), symbols(module), tables(module), b(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        levels(levels), variants(tables.addVariants(levels)) {}

  void emit(const EntryFunction &entry);
  /// Exports the table of all that was emitted.
  void emitLibrary() { tables.addLibrary(functionTables); }

private:
  /// The tables of one C function.
  struct Tables {
    LLVM::GlobalOp function, bodies;
  };
  enum class Kind { Compute, Shapes };

  LLVM::GlobalOp emitBodies(const EntryFunction &entry);
  void emitFunction(const EntryFunction &entry, const Tables &entryTables,
                    Kind kind);
  Block *createFunction(StringRef name, unsigned numArguments);

  /// The function of the runtime called `name`, declared.
  LLVM::LLVMFuncOp declare(StringRef name, Type result,
                           ArrayRef<Type> operands);
  /// Calls a function of the runtime.
  Value call(StringRef name, ValueRange operands);
  /// Returns `code` from the function where it is not zero.
  void returnIfFailed(Value code);
  Value constant(int64_t value, unsigned bits = 64) {
    Type type = b.getIntegerType(bits);
    return LLVM::ConstantOp::create(b, loc(), type,
                                    b.getIntegerAttr(type, value));
  }
  Value addressOf(LLVM::GlobalOp global) {
    return LLVM::AddressOfOp::create(b, loc(), global);
  }
  Value stackArray(Type element, int64_t count) {
    return LLVM::AllocaOp::create(b, loc(), pointer, element,
                                  constant(std::max<int64_t>(count, 1)));
  }
  Value elementAddress(Type element, Value array, int64_t at) {
    return LLVM::GEPOp::create(b, loc(), pointer, element, array,
                               ArrayRef<LLVM::GEPArg>{int32_t(at)});
  }
  Value loadBody(Value bodies, Value variant, int32_t field);
  Location loc() { return module.getLoc(); }

  ModuleOp module;
  SymbolTable symbols;
  ConstantTables tables;
  SmallVector<LLVM::GlobalOp> functionTables;
  OpBuilder b;
  Type pointer;
  ArrayRef<const CPULevel *> levels;
  LLVM::GlobalOp variants;
};
} // namespace

LLVM::LLVMFuncOp EntryEmitter::declare(StringRef name, Type result,
                                       ArrayRef<Type> operands) {
  auto function = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (function)
    return function;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  function = LLVM::LLVMFuncOp::create(
      b, loc(), name, LLVM::LLVMFunctionType::get(result, operands));
  symbols.insert(function);
  return function;
}

Value EntryEmitter::call(StringRef name, ValueRange operands) {
  LLVM::LLVMFuncOp callee =
      declare(name, b.getI32Type(), llvm::to_vector(operands.getTypes()));
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

/// Field `field` of `bodies[variant]`, a posenc_body.
Value EntryEmitter::loadBody(Value bodies, Value variant, int32_t field) {
  Type body =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer});
  Value address = LLVM::GEPOp::create(b, loc(), pointer, body, bodies,
                                      ArrayRef<LLVM::GEPArg>{variant, field});
  return LLVM::LoadOp::create(b, loc(), pointer, address);
}

/// The posenc_body of `entry` for each CPU.
LLVM::GlobalOp EntryEmitter::emitBodies(const EntryFunction &entry) {
  Type none = LLVM::LLVMVoidType::get(b.getContext());
  SmallVector<std::pair<StringRef, StringRef>> bodies;
  for (const CPULevel *level : levels) {
    std::string suffix = level->getSymbolSuffix();
    bodies.emplace_back(
        declare(entry.getShapesBodyName() + suffix, none, {pointer, pointer})
            .getName(),
        declare(entry.getComputeName() + suffix, none, {pointer}).getName());
  }
  return tables.addBodies(bodies);
}

Block *EntryEmitter::createFunction(StringRef name, unsigned numArguments) {
  b.setInsertionPointToEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc(), name,
      LLVM::LLVMFunctionType::get(b.getI32Type(),
                                  SmallVector<Type>(numArguments, pointer)));
  symbols.insert(function);
  Block *block = function.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  return block;
}

/// NAME or NAME_shapes.
void EntryEmitter::emitFunction(const EntryFunction &entry,
                                const Tables &entryTables, Kind kind) {
  Block *block = createFunction(kind == Kind::Compute ? entry.name.str()
                                                      : entry.getShapesName(),
                                entry.arguments.size());
  int64_t words = 0;
  for (const EntryArgument &argument : entry.arguments)
    words += argument.getDescriptorWords();
  Value arguments = stackArray(pointer, entry.arguments.size());
  Value descriptors = stackArray(b.getI64Type(), words);
  Value dims = stackArray(b.getI64Type(), entry.getNumExtents());
  Value variantAddress = stackArray(b.getI32Type(), 1);
  for (auto [at, argument] : llvm::enumerate(block->getArguments()))
    LLVM::StoreOp::create(b, loc(), argument,
                          elementAddress(pointer, arguments, at));
  Value function = addressOf(entryTables.function);
  Value bodies = addressOf(entryTables.bodies);
  Value name = addressOf(tables.addString(entry.name));
  returnIfFailed(
      call("posenc_rt_select", {addressOf(variants), name, variantAddress}));
  Value variant =
      LLVM::LoadOp::create(b, loc(), b.getI32Type(), variantAddress);
  returnIfFailed(
      call("posenc_rt_check_inputs", {function, arguments, descriptors}));
  auto shapesType = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer});
  LLVM::CallOp::create(
      b, loc(), shapesType,
      ValueRange{loadBody(bodies, variant, /*field=*/0), descriptors, dims});
  returnIfFailed(call("posenc_rt_status", {}));
  Value code;
  if (kind == Kind::Compute) {
    returnIfFailed(call("posenc_rt_check_outputs",
                        {function, arguments, dims, descriptors}));
    code = call("posenc_rt_run",
                {loadBody(bodies, variant, /*field=*/1), descriptors});
  } else {
    code = call("posenc_rt_report_shapes", {function, arguments, dims});
  }
  LLVM::ReturnOp::create(b, loc(), code);
}

void EntryEmitter::emit(const EntryFunction &entry) {
  Tables entryTables = {tables.addFunction(entry), emitBodies(entry)};
  functionTables.push_back(entryTables.function);
  emitFunction(entry, entryTables, Kind::Compute);
  emitFunction(entry, entryTables, Kind::Shapes);
}

void posenc::emitEntries(ModuleOp module, ArrayRef<EntryFunction> entries,
                         ArrayRef<const CPULevel *> levels) {
  EntryEmitter emitter(module, levels);
  for (const EntryFunction &entry : entries)
    emitter.emit(entry);
  emitter.emitLibrary();
}

namespace {
struct EmitEntriesPass : posenc::impl::EmitEntriesPassBase<EmitEntriesPass> {
  using EmitEntriesPassBase::EmitEntriesPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<EntryFunction>> entries = readEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    if (cpus.empty()) {
      getOperation().emitError("no CPUs: say cpus= what bodies there are for");
      return signalPassFailure();
    }
    SmallVector<const CPULevel *> levels;
    for (const std::string &cpu : cpus) {
      llvm::Expected<const CPULevel *> level = resolveCPU(cpu);
      if (!level) {
        getOperation().emitError(llvm::toString(level.takeError()));
        return signalPassFailure();
      }
      levels.push_back(*level);
    }
    emitEntries(getOperation(), *entries, levels);
  }
};
} // namespace

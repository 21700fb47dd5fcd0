//===- ConstantTables.cpp - Constant data in the LLVM dialect -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field order and widths are those of lib/Runtime/posenc_runtime.h; literal
// structs have C's layout.
//
//===----------------------------------------------------------------------===//

#include "ConstantTables.h"

using namespace mlir;
using namespace mlir::posenc;

ConstantTables::ConstantTables(ModuleOp module)
    : module(module), b(OpBuilder::atBlockBegin(module.getBody())),
      pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

LLVM::GlobalOp ConstantTables::addGlobal(Type type, Attribute value) {
  return LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
      ("posenc_table_" + Twine(count++)).str(), value);
}

LLVM::GlobalOp ConstantTables::addString(StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global) {
    std::string bytes = text.str();
    bytes.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    global = addGlobal(type, b.getStringAttr(bytes));
  }
  return global;
}

LLVM::GlobalOp ConstantTables::addIntegers(ArrayRef<int64_t> values) {
  if (values.empty())
    return nullptr;
  return addGlobal(LLVM::LLVMArrayType::get(b.getI64Type(), values.size()),
                   b.getI64TensorAttr(values));
}

Type ConstantTables::typeOf(const Field &field) {
  return field.bits ? Type(b.getIntegerType(field.bits)) : pointer;
}

Value ConstantTables::emitField(OpBuilder &at, const Field &field) {
  Location loc = module.getLoc();
  if (field.bits) {
    Type type = typeOf(field);
    return LLVM::ConstantOp::create(at, loc, type,
                                    at.getIntegerAttr(type, field.value));
  }
  if (field.symbol.empty())
    return LLVM::ZeroOp::create(at, loc, pointer);
  return LLVM::AddressOfOp::create(at, loc, pointer, field.symbol);
}

/// An array of equal structs.
LLVM::GlobalOp
ConstantTables::addStructs(ArrayRef<SmallVector<Field>> structs) {
  if (structs.empty())
    return nullptr;
  auto element = LLVM::LLVMStructType::getLiteral(
      b.getContext(), llvm::map_to_vector(structs.front(), [&](const Field &f) {
        return typeOf(f);
      }));
  auto type = LLVM::LLVMArrayType::get(element, structs.size());
  LLVM::GlobalOp global = addGlobal(type, Attribute());
  OpBuilder init(b.getContext());
  init.createBlock(&global.getInitializerRegion());
  Location loc = module.getLoc();
  Value array = LLVM::UndefOp::create(init, loc, type);
  for (auto [row, fields] : llvm::enumerate(structs))
    for (auto [column, field] : llvm::enumerate(fields))
      array = LLVM::InsertValueOp::create(
          init, loc, array, emitField(init, field),
          ArrayRef<int64_t>{int64_t(row), int64_t(column)});
  LLVM::ReturnOp::create(init, loc, array);
  return global;
}

LLVM::GlobalOp ConstantTables::addPointers(ArrayRef<LLVM::GlobalOp> pointers) {
  return addStructs(llvm::map_to_vector(pointers, [](LLVM::GlobalOp global) {
    return SmallVector<Field>{pointerTo(global)};
  }));
}

/// The posenc_argument of `argument`; new symbols go to `symbols`.
SmallVector<ConstantTables::Field>
ConstantTables::describe(const EntryArgument &argument,
                         SmallVectorImpl<StringRef> &symbols) {
  SmallVector<int64_t> extents;
  SmallVector<LLVM::GlobalOp> names;
  for (auto [extent, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    names.push_back(symbol.empty() ? nullptr : addString(symbol));
    if (ShapedType::isStatic(extent)) {
      extents.push_back(extent);
      continue;
    }
    // A dimension without a symbol is a symbol that nothing else has.
    auto *known = symbol.empty() ? symbols.end() : llvm::find(symbols, symbol);
    extents.push_back(-1 - (known - symbols.begin()));
    if (known == symbols.end())
      symbols.push_back(symbol);
  }
  DLPackType type = *getDLPackType(argument.type.getElementType());
  return {pointerTo(addString(argument.name)),
          pointerTo(addIntegers(extents)),
          pointerTo(addPointers(names)),
          {32, argument.type.getRank()},
          {8, type.code},
          {8, type.bits},
          {8, argument.isOutput},
          {8, argument.isDonated}};
}

LLVM::GlobalOp ConstantTables::addFunction(const EntryFunction &entry) {
  SmallVector<StringRef> symbols;
  SmallVector<SmallVector<Field>> arguments;
  for (const EntryArgument &argument : entry.arguments)
    arguments.push_back(describe(argument, symbols));
  auto symbolNames = llvm::map_to_vector(
      symbols, [&](StringRef symbol) { return addString(symbol); });
  return addStructs({{pointerTo(addString(entry.name)),
                      pointerTo(addStructs(arguments)),
                      pointerTo(addPointers(symbolNames)),
                      {32, int64_t(entry.arguments.size())},
                      {32, int64_t(entry.numOutputs)},
                      {32, int64_t(symbols.size())}}});
}

LLVM::GlobalOp ConstantTables::addVariants(ArrayRef<const CPULevel *> levels) {
  auto variants = llvm::map_to_vector(levels, [&](const CPULevel *level) {
    return SmallVector<Field>{pointerTo(addString(level->name)),
                              {64, int64_t(level->features)}};
  });
  return addStructs(
      {{pointerTo(addStructs(variants)), {32, int64_t(levels.size())}}});
}

LLVM::GlobalOp
ConstantTables::addBodies(ArrayRef<std::pair<StringRef, StringRef>> bodies) {
  return addStructs(llvm::map_to_vector(bodies, [](auto names) {
    return SmallVector<Field>{{0, 0, names.first}, {0, 0, names.second}};
  }));
}

void ConstantTables::addLibrary(ArrayRef<LLVM::GlobalOp> functions) {
  constexpr int64_t version = 1; // POSENC_LIBRARY_VERSION
  LLVM::GlobalOp library = addStructs({{{32, version},
                                        {32, int64_t(functions.size())},
                                        pointerTo(addPointers(functions))}});
  library.setSymName(kLibrarySymbol);
  library.setLinkage(LLVM::Linkage::Weak);
}

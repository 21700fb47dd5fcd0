//===- Entry.cpp - The C functions of a compiled module -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and checks `posenc.functions`, which Plan wrote.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/Entry.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::posenc;

std::optional<DLPackType> posenc::getDLPackType(Type element) {
  enum : uint8_t { Int = 0, UInt = 1, Float = 2, Bfloat = 4, Bool = 6 };
  if (element.isInteger(1))
    return DLPackType{Bool, 8};
  if (element.isBF16())
    return DLPackType{Bfloat, 16};
  if (element.isF16() || element.isF32() || element.isF64())
    return DLPackType{Float, uint8_t(element.getIntOrFloatBitWidth())};
  if (auto integer = dyn_cast<IntegerType>(element))
    if (llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()))
      return DLPackType{integer.isUnsigned() ? UInt : Int,
                        uint8_t(integer.getWidth())};
  return std::nullopt;
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static InFlightDiagnostic refuse(ModuleOp module) {
  return module.emitError() << kFunctionsAttr << ": ";
}

static FailureOr<EntryArgument> readArgument(ModuleOp module, Attribute attr,
                                             StringRef function) {
  auto fields = dyn_cast<DictionaryAttr>(attr);
  auto name = fields ? fields.getAs<StringAttr>("name") : nullptr;
  auto typeAttr = fields ? fields.getAs<TypeAttr>("type") : nullptr;
  auto type = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue())
                       : RankedTensorType();
  if (!name || !type)
    return refuse(module) << "an argument of '" << function
                          << "' needs a name and a ranked tensor type, got "
                          << attr;
  EntryArgument argument;
  argument.name = name.getValue();
  argument.type = type;
  if (!getDLPackType(type.getElementType()))
    return refuse(module) << "argument '" << argument.name << "' of '"
                          << function << "' has element type "
                          << type.getElementType() << ", which DLPack lacks";
  argument.symbols.assign(type.getRank(), "");
  if (auto symbols = fields.getAs<ArrayAttr>("symbols")) {
    if (int64_t(symbols.size()) != type.getRank() ||
        !llvm::all_of(symbols, llvm::IsaPred<StringAttr>))
      return refuse(module) << "argument '" << argument.name << "' of '"
                            << function << "' needs one symbol a dimension, "
                            << type.getRank() << ", got " << symbols;
    for (auto [symbol, value] : llvm::zip_equal(
             argument.symbols, symbols.getAsValueRange<StringAttr>()))
      symbol = value;
  }
  auto donated = fields.getAs<BoolAttr>("donated");
  argument.isDonated = donated && donated.getValue();
  return argument;
}

static FailureOr<EntryFunction> readEntry(ModuleOp module, Attribute attr) {
  auto fields = dyn_cast<DictionaryAttr>(attr);
  auto name = fields ? fields.getAs<StringAttr>("name") : nullptr;
  auto inputs = fields ? fields.getAs<ArrayAttr>("inputs") : nullptr;
  auto outputs = fields ? fields.getAs<ArrayAttr>("outputs") : nullptr;
  if (!name || !inputs || !outputs)
    return refuse(module) << "a function needs name, inputs and outputs, got "
                          << attr;
  EntryFunction entry;
  entry.name = name.getValue();
  entry.numOutputs = outputs.size();
  if (!isIdentifier(entry.name))
    return refuse(module) << "'" << entry.name
                          << "' is no C identifier: rename the graph";
  for (bool isOutput : {false, true})
    for (Attribute argument : isOutput ? outputs : inputs) {
      FailureOr<EntryArgument> read =
          readArgument(module, argument, entry.name);
      if (failed(read))
        return failure();
      read->isOutput = isOutput;
      entry.arguments.push_back(std::move(*read));
    }
  return entry;
}

FailureOr<SmallVector<EntryFunction>> posenc::readEntries(ModuleOp module) {
  auto functions = module->getAttrOfType<ArrayAttr>(kFunctionsAttr);
  if (!functions)
    return module.emitError("no ")
           << kFunctionsAttr << ": run the phase plan first";
  SmallVector<EntryFunction> entries;
  for (Attribute attr : functions) {
    FailureOr<EntryFunction> entry = readEntry(module, attr);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  return entries;
}

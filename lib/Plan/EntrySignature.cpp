//===- EntrySignature.cpp - The parts of an entry's interface -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntrySignature.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"

using namespace mlir;
using namespace mlir::posenc;

/// The name an argument or result has, or `kind` and its number.
static StringAttr getName(StringAttr given, StringRef kind, unsigned number,
                          MLIRContext *context) {
  if (given)
    return given;
  return StringAttr::get(context, kind + Twine(number));
}

/// One symbol a dimension of `type`: those `given`, or none.
static FailureOr<ArrayAttr> readSymbols(func::FuncOp func, ArrayAttr given,
                                        StringAttr name,
                                        RankedTensorType type) {
  if (!given)
    return Builder(func.getContext())
        .getStrArrayAttr(SmallVector<StringRef>(type.getRank(), ""));
  if (static_cast<int64_t>(given.size()) != type.getRank())
    return func.emitError() << "'" << func.getName() << "' has " << given.size()
                            << " symbols for '" << name.getValue()
                            << "' of type " << type << "; give one a dimension";
  return given;
}

static FailureOr<EntrySignature::Input> readInput(func::FuncOp func,
                                                  unsigned number) {
  EntrySignature::Input input;
  input.name = getName(func.getArgAttrOfType<StringAttr>(number, kNameAttr),
                       "input", number, func.getContext());
  Type type = func.getArgumentTypes()[number];
  input.type = dyn_cast<RankedTensorType>(type);
  if (!input.type)
    return func.emitError() << "'" << func.getName() << "' takes '"
                            << input.name.getValue() << "' as " << type
                            << "; entries take ranked tensors only, a scalar "
                               "is a tensor of rank 0";
  FailureOr<ArrayAttr> symbols =
      readSymbols(func, func.getArgAttrOfType<ArrayAttr>(number, kSymbolsAttr),
                  input.name, input.type);
  if (failed(symbols))
    return failure();
  input.symbols = *symbols;
  if (auto donated = func.getArgAttrOfType<IntegerAttr>(number, kDonatedAttr))
    input.donatedResult = donated.getValue().getLimitedValue();
  return input;
}

/// Notes in the results which inputs they are written over.
static LogicalResult linkDonations(func::FuncOp func,
                                   EntrySignature &signature) {
  for (auto [number, input] : llvm::enumerate(signature.inputs)) {
    if (!input.donatedResult)
      continue;
    unsigned index = *input.donatedResult;
    auto refuse = [&]() {
      return func.emitError()
             << "'" << func.getName() << "' donates '" << input.name.getValue()
             << "' to result " << index;
    };
    if (index >= signature.results.size())
      return refuse() << ", but has " << signature.results.size()
                      << " results; name an existing one";
    EntrySignature::Result &result = signature.results[index];
    if (result.donatedInput)
      return refuse() << ", which '"
                      << signature.inputs[*result.donatedInput].name.getValue()
                      << "' is donated to already; donate one input a result";
    if (result.type != input.type)
      return refuse() << " of type " << result.type << ", but is " << input.type
                      << "; the types must be equal";
    result.donatedInput = number;
  }
  return success();
}

FailureOr<EntrySignature> EntrySignature::read(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError() << "'" << func.getName() << "' has "
                            << func.getBody().getBlocks().size()
                            << " blocks; an entry is one block, with scf ops "
                               "for control flow";
  EntrySignature signature;
  for (unsigned number = 0; number < func.getNumArguments(); ++number) {
    FailureOr<Input> input = readInput(func, number);
    if (failed(input))
      return failure();
    signature.inputs.push_back(*input);
  }
  for (auto [number, type] : llvm::enumerate(func.getResultTypes())) {
    Result result;
    result.name =
        getName(func.getResultAttrOfType<StringAttr>(number, kNameAttr),
                "output", number, func.getContext());
    result.type = dyn_cast<RankedTensorType>(type);
    if (!result.type)
      return func.emitError()
             << "'" << func.getName() << "' returns '" << result.name.getValue()
             << "' as " << type
             << "; entries return ranked tensors only, a scalar is a tensor "
                "of rank 0";
    FailureOr<ArrayAttr> symbols = readSymbols(
        func, func.getResultAttrOfType<ArrayAttr>(number, kSymbolsAttr),
        result.name, result.type);
    if (failed(symbols))
      return failure();
    result.symbols = *symbols;
    signature.results.push_back(result);
  }
  if (failed(linkDonations(func, signature)))
    return failure();
  return signature;
}

SmallVector<unsigned> EntrySignature::getOutputs() const {
  SmallVector<unsigned> outputs;
  for (auto [number, result] : llvm::enumerate(results))
    if (!result.donatedInput)
      outputs.push_back(number);
  return outputs;
}

DictionaryAttr EntrySignature::getDescription(func::FuncOp func) const {
  Builder b(func.getContext());
  SmallVector<Attribute> inputAttrs, outputAttrs;
  for (const Input &input : inputs)
    inputAttrs.push_back(b.getDictionaryAttr({
        b.getNamedAttr("name", input.name),
        b.getNamedAttr("symbols", input.symbols),
        b.getNamedAttr("type", TypeAttr::get(input.type)),
        b.getNamedAttr("donated",
                       b.getBoolAttr(input.donatedResult.has_value())),
    }));
  for (unsigned output : getOutputs())
    outputAttrs.push_back(b.getDictionaryAttr({
        b.getNamedAttr("name", results[output].name),
        b.getNamedAttr("symbols", results[output].symbols),
        b.getNamedAttr("type", TypeAttr::get(results[output].type)),
    }));
  return b.getDictionaryAttr({
      b.getNamedAttr("name", func.getNameAttr()),
      b.getNamedAttr("inputs", b.getArrayAttr(inputAttrs)),
      b.getNamedAttr("outputs", b.getArrayAttr(outputAttrs)),
  });
}

MemRefType posenc::getEntryMemRefType(RankedTensorType type) {
  if (type.getRank() == 0)
    return MemRefType::get({}, type.getElementType());
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), /*offset=*/0, strides));
}

//===- AttentionAssembly.cpp - The syntax of posenc.attention -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionAssembly.h"

using namespace mlir;
using namespace mlir::posenc;

ParseResult posenc::parseAttentionLayouts(OpAsmParser &parser,
                                          LayoutAttr &query, LayoutAttr &key,
                                          LayoutAttr &value,
                                          LayoutAttr &output) {
  LayoutAttr *layouts[] = {&query, &key, &value, &output};
  for (LayoutAttr *layout : layouts)
    *layout = LayoutAttr::get(parser.getContext(), Layout::BHLD);
  if (parser.parseOptionalKeyword("layouts"))
    return success();
  if (parser.parseLParen())
    return failure();
  for (LayoutAttr *layout : layouts) {
    StringRef keyword;
    SMLoc where = parser.getCurrentLocation();
    if ((layout != layouts[0] && parser.parseComma()) ||
        parser.parseKeyword(&keyword))
      return failure();
    std::optional<Layout> parsed = symbolizeLayout(keyword);
    if (!parsed)
      return parser.emitError(where, "expected 'bhld' or 'blhd'");
    *layout = LayoutAttr::get(parser.getContext(), *parsed);
  }
  return parser.parseRParen();
}

void posenc::printAttentionLayouts(OpAsmPrinter &printer, Operation *,
                                   LayoutAttr query, LayoutAttr key,
                                   LayoutAttr value, LayoutAttr output) {
  LayoutAttr layouts[] = {query, key, value, output};
  if (llvm::all_of(layouts, [](LayoutAttr layout) {
        return layout.getValue() == Layout::BHLD;
      }))
    return;
  printer << " layouts(";
  llvm::interleaveComma(layouts, printer, [&](LayoutAttr layout) {
    printer << stringifyLayout(layout.getValue());
  });
  printer << ")";
}

ParseResult posenc::parseFormulaRegions(OpAsmParser &parser, Region &score,
                                        Region &mask, Region &rotateQuery,
                                        Region &rotateKey, Region &bounds,
                                        Region &tile) {
  Region *regions[] = {&score, &mask, &rotateQuery, &rotateKey, &bounds, &tile};
  for (auto [region, signature] :
       llvm::zip_equal(regions, AttentionOp::getRegionSignatures())) {
    if (parser.parseOptionalKeyword(signature.name))
      continue;
    SmallVector<Type> types = signature.getArgumentTypes(parser.getContext());
    SmallVector<OpAsmParser::Argument> arguments;
    SMLoc where = parser.getCurrentLocation();
    if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
      return failure();
    if (arguments.size() != types.size())
      return parser.emitError(where)
             << "region '" << signature.name << "' takes " << types.size()
             << " arguments";
    for (auto [argument, type] : llvm::zip_equal(arguments, types))
      argument.type = type;
    if (parser.parseRegion(*region, arguments))
      return failure();
  }
  return success();
}

void posenc::printFormulaRegions(OpAsmPrinter &printer, Operation *op, Region &,
                                 Region &, Region &, Region &, Region &,
                                 Region &) {
  for (auto [region, signature] :
       llvm::zip_equal(op->getRegions(), AttentionOp::getRegionSignatures())) {
    if (region.empty())
      continue;
    printer << " " << signature.name << "(";
    llvm::interleaveComma(region.getArguments(), printer);
    printer << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
}

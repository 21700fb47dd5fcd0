//===- AttentionAssembly.h - The syntax of posenc.attention -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The custom directives of the op's declarative format.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ATTENTIONASSEMBLY_H
#define POSENC_DIALECT_POSENC_IR_ATTENTIONASSEMBLY_H

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

/// `layouts(bhld, bhld, bhld, bhld)`: query, key, value, output; left out where
/// all are bhld.
ParseResult parseAttentionLayouts(OpAsmParser &parser, LayoutAttr &query,
                                  LayoutAttr &key, LayoutAttr &value,
                                  LayoutAttr &output);
void printAttentionLayouts(OpAsmPrinter &printer, Operation *op,
                           LayoutAttr query, LayoutAttr key, LayoutAttr value,
                           LayoutAttr output);

/// `mask(%b, %h, %i, %j) { ... }`: each region after its name with its
/// arguments, whose types the name implies; absent regions are left out.
ParseResult parseFormulaRegions(OpAsmParser &parser, Region &score,
                                Region &mask, Region &rotateQuery,
                                Region &rotateKey, Region &bounds,
                                Region &tile);
void printFormulaRegions(OpAsmPrinter &printer, Operation *op, Region &score,
                         Region &mask, Region &rotateQuery, Region &rotateKey,
                         Region &bounds, Region &tile);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_ATTENTIONASSEMBLY_H

//===- EntryAbi.h - What a compiled function's signature says ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that carry a graph's interface from Import to Object, and the
// names that follow from an entry's.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ENTRYABI_H
#define POSENC_DIALECT_POSENC_IR_ENTRYABI_H

#include "llvm/ADT/StringRef.h"

namespace mlir::posenc {

// On arguments and results of a function.

/// StringAttr: the name the graph gives the argument or result.
inline constexpr llvm::StringLiteral kNameAttr = "posenc.name";
/// ArrayAttr of StringAttr, one a dimension: the symbol of a dynamic extent,
/// "" for none. Equal symbols of arguments are equal extents; those of a result
/// only tell a reader what its extents are, as expressions perhaps.
inline constexpr llvm::StringLiteral kSymbolsAttr = "posenc.symbols";
/// IntegerAttr: the number of the result that is written over the argument.
inline constexpr llvm::StringLiteral kDonatedAttr = "posenc.donated";

// On functions, after entry-abi.

/// UnitAttr: the function takes its inputs, then its outputs, as memrefs.
inline constexpr llvm::StringLiteral kEntryAttr = "posenc.entry";
/// UnitAttr: the function takes the inputs of an entry, then a memref<?xi64>
/// that receives the extents of all outputs, concatenated.
inline constexpr llvm::StringLiteral kShapesAttr = "posenc.shapes";
/// What is appended to the entry's name, of a function with `posenc.shapes`.
inline constexpr llvm::StringLiteral kShapesSuffix = "__shapes";

// On the module, after entry-abi.

/// ArrayAttr of dictionaries, one an entry: `name`, `inputs`, `outputs`. An
/// input is {name, symbols, type, donated}, an output {name, symbols, type};
/// types are the tensor types. A donated input's result is no output.
inline constexpr llvm::StringLiteral kFunctionsAttr = "posenc.functions";

/// Whether C or C++ keeps `name` for itself, or the generated header or every
/// program has one: no function or parameter of an entry may be called so.
bool isReservedName(llvm::StringRef name);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_ENTRYABI_H

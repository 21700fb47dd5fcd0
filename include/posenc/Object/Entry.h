//===- Entry.h - The C functions of a compiled module -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the module attribute `posenc.functions` says, checked.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_ENTRY_H
#define POSENC_OBJECT_ENTRY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::posenc {

/// The exported table of a library's functions, see lib/Runtime.
inline constexpr StringLiteral kLibrarySymbol = "posenc_library";

/// The element types of DLPack.
struct DLPackType {
  uint8_t code;
  uint8_t bits;
};

/// The DLPack type of an element type, none where DLPack has none.
std::optional<DLPackType> getDLPackType(Type element);

/// One DLTensor argument of a C function.
struct EntryArgument {
  StringRef name;
  RankedTensorType type;
  /// The symbol of each dimension, empty where it has none.
  SmallVector<StringRef> symbols;
  bool isOutput = false;
  /// An input that is updated in place.
  bool isDonated = false;
};

/// One C function: its arguments, inputs first.
struct EntryFunction {
  StringRef name;
  SmallVector<EntryArgument> arguments;
  unsigned numOutputs = 0;

  /// The C function that tells the outputs' shapes.
  std::string getShapesName() const { return (name + "_shapes").str(); }
  ArrayRef<EntryArgument> getInputs() const {
    return ArrayRef(arguments).drop_back(numOutputs);
  }
  ArrayRef<EntryArgument> getOutputs() const {
    return ArrayRef(arguments).take_back(numOutputs);
  }
};

/// Reads `posenc.functions` of `module`. A malformed attribute, a name that is
/// no C identifier or an element type that DLPack lacks is an error at
/// `module`.
FailureOr<SmallVector<EntryFunction>> readEntries(ModuleOp module);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_ENTRY_H

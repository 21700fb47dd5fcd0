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
#include "posenc/Codegen/CPU/Target.h"

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

  /// The words of its memref descriptor: two pointers, offset, sizes, strides.
  int64_t getDescriptorWords() const { return 3 + 2 * type.getRank(); }
};

/// One C function: its arguments, inputs first.
struct EntryFunction {
  StringRef name;
  SmallVector<EntryArgument> arguments;
  unsigned numOutputs = 0;

  /// The C function that tells the outputs' shapes.
  std::string getShapesName() const { return (name + "_shapes").str(); }
  /// The functions of one compilation that the runtime's posenc_body points to.
  std::string getComputeName() const { return (name + "__body").str(); }
  std::string getShapesBodyName() const {
    return (name + "__shapes_body").str();
  }
  /// The extents of all outputs, together.
  int64_t getNumExtents() const {
    int64_t extents = 0;
    for (const EntryArgument &output : getOutputs())
      extents += output.type.getRank();
    return extents;
  }
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

/// Adds the C functions of `entries` to `module`. They call the bodies of
/// posenc-emit-bodies, whose names end in the symbol suffix of one of `levels`.
void emitEntries(ModuleOp module, ArrayRef<EntryFunction> entries,
                 ArrayRef<const CPULevel *> levels);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_ENTRY_H

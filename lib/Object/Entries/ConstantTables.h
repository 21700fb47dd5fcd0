//===- ConstantTables.h - Constant data in the LLVM dialect -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the tables of lib/Runtime/posenc_runtime.h as internal globals.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_OBJECT_CONSTANTTABLES_H
#define POSENC_LIB_OBJECT_CONSTANTTABLES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "posenc/Object/Entry.h"

namespace mlir::posenc {

class ConstantTables {
public:
  explicit ConstantTables(ModuleOp module);

  /// A NUL-terminated string.
  LLVM::GlobalOp addString(StringRef text);
  /// The posenc_function of `entry`.
  LLVM::GlobalOp addFunction(const EntryFunction &entry);
  /// The posenc_variants of `levels`.
  LLVM::GlobalOp addVariants(ArrayRef<const CPULevel *> levels);
  /// An array of posenc_body from the names of its functions.
  LLVM::GlobalOp addBodies(ArrayRef<std::pair<StringRef, StringRef>> bodies);
  /// The exported posenc_library of these functions.
  void addLibrary(ArrayRef<LLVM::GlobalOp> functions);

private:
  /// A field of a struct or element of an array: an integer of a width, or the
  /// address of a symbol (null where it is empty).
  struct Field {
    unsigned bits;
    int64_t value = 0;
    StringRef symbol = "";
  };
  static Field pointerTo(LLVM::GlobalOp global) {
    return {0, 0, global ? global.getSymName() : ""};
  }

  Value emitField(OpBuilder &b, const Field &field);
  Type typeOf(const Field &field);
  LLVM::GlobalOp addGlobal(Type type, Attribute value);
  LLVM::GlobalOp addStructs(ArrayRef<SmallVector<Field>> structs);
  LLVM::GlobalOp addPointers(ArrayRef<LLVM::GlobalOp> pointers);
  LLVM::GlobalOp addIntegers(ArrayRef<int64_t> values);
  SmallVector<Field> describe(const EntryArgument &argument,
                              SmallVectorImpl<StringRef> &symbols);

  ModuleOp module;
  OpBuilder b;
  Type pointer;
  llvm::StringMap<LLVM::GlobalOp> strings;
  unsigned count = 0;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_OBJECT_CONSTANTTABLES_H

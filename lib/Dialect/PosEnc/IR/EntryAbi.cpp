//===- EntryAbi.cpp - What a compiled function's signature says -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

bool posenc::isReservedName(llvm::StringRef name) {
  static constexpr llvm::StringLiteral reserved[] = {
      "DLTensor",  "and",       "auto",     "bool",     "break",    "case",
      "catch",     "char",      "class",    "const",    "continue", "default",
      "delete",    "do",        "double",   "else",     "enum",     "export",
      "extern",    "false",     "float",    "for",      "friend",   "goto",
      "if",        "inline",    "int",      "long",     "main",     "mutable",
      "namespace", "new",       "not",      "nullptr",  "operator", "or",
      "private",   "protected", "public",   "register", "restrict", "return",
      "short",     "signed",    "sizeof",   "static",   "struct",   "switch",
      "template",  "this",      "throw",    "true",     "try",      "typedef",
      "typename",  "union",     "unsigned", "using",    "virtual",  "void",
      "volatile",  "while",     "xor"};
  return llvm::is_contained(reserved, name);
}

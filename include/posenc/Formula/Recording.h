//===- Recording.h - Keeps what a formula's values mean ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_RECORDING_H
#define POSENC_FORMULA_RECORDING_H

#include "posenc/Formula/RegionInterpreter.h"

namespace mlir::posenc {

/// A domain that remembers the meaning of every value of the block it is
/// interpreted on, not only of what the block yields. A value inside of a loop
/// has the meaning of the last trip.
template <typename Base> class Recording : public Base {
public:
  using Value = typename Base::Value;
  using Base::Base;

  /// Interprets `block` and returns what it yields.
  SmallVector<Value> run(Block &block, ArrayRef<Value> arguments) {
    RegionInterpreter<Base> interpreter(*this);
    SmallVector<Value> yielded = interpreter.interpret(block, arguments);
    meanings = interpreter.takeMeanings();
    return yielded;
  }

  /// The meaning of a value of the block, if it was recorded.
  std::optional<Value> find(mlir::Value value) const {
    auto it = meanings.find(value);
    if (it == meanings.end())
      return std::nullopt;
    return it->second;
  }

private:
  llvm::DenseMap<mlir::Value, Value> meanings;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_RECORDING_H

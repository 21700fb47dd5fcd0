//===- Remarks.h - What passes say of what they did -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A remark is upstream's (mlir/IR/Remarks.h), named by its pass. It is one
// sentence about one op of the user's, which it begins with:
//
//   remarkDone(op, "fuse-rotation") << remark::add("'{0}' rotates ...", ...);
//   remarkMissed(op, "fuse-rotation") << remark::add("'{0}' stays ...", ...)
//       << remark::reason("why") << remark::suggest("what to do about it");
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_REMARKS_H
#define POSENC_DIALECT_POSENC_IR_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace mlir::posenc {

/// The category of every posenc remark.
inline constexpr StringLiteral kRemarkCategory = "posenc";

/// A remark of the pass `--posenc-PASS` on what it did with `op`.
remark::detail::InFlightRemark remarkDone(Operation *op, StringRef pass);

/// A remark of the pass `--posenc-PASS` on what it left as it is at `op`.
remark::detail::InFlightRemark remarkMissed(Operation *op, StringRef pass);

/// Where the user wrote what `location` stands for: `file:line:column`, or
/// `node 'NAME'` of a graph; empty where unknown.
std::string getPlace(Location location);

/// The name of `op` in a sentence about another one:
/// `'posenc.attention' at file:line:column`.
std::string nameWithPlace(Operation *op);

/// What `value` is in a sentence: `the argument 'mask'`, or its producer as
/// `nameWithPlace` calls it.
std::string nameOf(Value value);

/// The attributes of `op`, ` {base = 1.0e+04 : f64}` or nothing; long ones are
/// left out.
std::string getParameters(Operation *op);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_REMARKS_H

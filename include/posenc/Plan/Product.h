//===- Product.h - The loops of a matrix product ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which contractions are matrix products that sum in f32, and what each of
// their loops is: Plan groups around them, kernels compute them.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PLAN_PRODUCT_H
#define POSENC_PLAN_PRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::posenc {

/// The loops of c[.., m, n] += sum over k of a[.., m, k] * b[.., k, n], as the
/// op numbers them; `outer` are its batch loops and all row loops but one.
struct ProductLoops {
  SmallVector<unsigned> outer;
  std::optional<unsigned> row;
  unsigned column, depth;

  /// The loops of `op`: a contraction of f32, f16 or bf16 that sums in f32 and
  /// whose result has its columns last. Fails where `op` is none; `reason` then
  /// says why.
  static FailureOr<ProductLoops> of(linalg::LinalgOp op,
                                    StringRef *reason = nullptr);

  static constexpr llvm::StringLiteral kColumnsApart =
      "the columns of its result are no neighbours in memory";
};

} // namespace mlir::posenc

#endif // POSENC_PLAN_PRODUCT_H

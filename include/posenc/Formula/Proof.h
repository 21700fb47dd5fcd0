//===- Proof.h - Whether two formulas are the same --------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_PROOF_H
#define POSENC_FORMULA_PROOF_H

#include "posenc/Formula/ElementFormula.h"
#include <optional>
#include <string>

namespace mlir::posenc {

/// Tables with more entries than this are not compared entry by entry, and so
/// nothing is proved of them.
constexpr int64_t kLargestTable = 1 << 22;

/// Looks for an element in which `candidate` differs from `seen` and returns a
/// phrase that says where; absent if there is none, which is the proof.
///
/// First both are evaluated in float64 over shared leaves with drawn numbers,
/// for several choices of the open extents and of integers, up to 2^21: at every
/// entry of the constant tables that `seen` reads with known rows, at every
/// element of small tensors, else at the first and last two indices of each axis
/// and at random ones, 6,144 in all. Integers and conditions must be equal,
/// reals within 1e-5. Then integers and conditions are proved equal for all
/// indices, extents and leaves, and reals compared at the ends of every case
/// (CaseProof). At last, tables whose rows follow from open extents, captured
/// integers or elements are counted through. Thresholds that no sum of integers
/// tells, and rows that counting does not reach, may hide a difference. Where
/// the candidate computes angles, the f32 rounding of the angles of `seen` is
/// allowed for.
std::optional<std::string> findDifference(const ElementFormula &seen,
                                          const ElementFormula &candidate);

} // namespace mlir::posenc

#endif // POSENC_FORMULA_PROOF_H

//===- Learned2D.cpp - A learned table of a grid, resized -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Formula/FormulaOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// What an axis is read with: `taps` rows and their weights for each new row.
struct Axis {
  int64_t taps = 0;
  SmallVector<int32_t> rows;
  SmallVector<float> weights;

  void append(ArrayRef<std::pair<int64_t, double>> read) {
    for (auto [row, weight] : read) {
      rows.push_back(static_cast<int32_t>(row));
      weights.push_back(static_cast<float>(weight));
    }
    // Weights of zero fill up where fewer rows are read.
    rows.append(taps - read.size(), 0);
    weights.append(taps - read.size(), 0.0f);
  }
};
} // namespace

/// Keys' cubic convolution kernel.
static double evaluateCubic(double x, double a) {
  x = std::abs(x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((x - 5) * x + 8) * x * a - 4 * a;
  return 0;
}

static double evaluateFilter(Interpolation kind, double x, double a) {
  return kind == Interpolation::Bicubic ? evaluateCubic(x, a)
                                        : std::max(0.0, 1 - std::abs(x));
}

/// The rows around each point, the nearest ones in place of those outside.
static Axis getInterpolation(Learned2DOp op, int64_t from, int64_t to) {
  Interpolation kind = op.getInterpolation();
  Axis axis;
  axis.taps = kind == Interpolation::Bicubic ? 4 : 2;
  for (int64_t i = 0; i < to; ++i) {
    double x = static_cast<double>(i), n = static_cast<double>(from);
    double point = (x + 0.5) * n / static_cast<double>(to) - 0.5;
    if (op.getAlignCorners())
      point = to == 1 ? 0.0 : x * (n - 1) / static_cast<double>(to - 1);
    double below = std::floor(point);
    SmallVector<std::pair<int64_t, double>> read;
    for (int64_t tap = 1 - axis.taps / 2; tap <= axis.taps / 2; ++tap) {
      double row = below + static_cast<double>(tap);
      read.emplace_back(static_cast<int64_t>(std::clamp(row, 0.0, n - 1)),
                        evaluateFilter(kind, point - row, /*a=*/-0.75));
    }
    axis.append(read);
  }
  return axis;
}

/// The rows under a filter that grows as the axis shrinks.
static Axis getAntialiased(Learned2DOp op, int64_t from, int64_t to) {
  Interpolation kind = op.getInterpolation();
  double ratio = static_cast<double>(from) / static_cast<double>(to);
  double stretch = std::max(1.0, ratio);
  double reach = (kind == Interpolation::Bicubic ? 2 : 1) * stretch;
  Axis axis;
  axis.taps = std::min(from, static_cast<int64_t>(std::ceil(reach)) * 2 + 1);
  for (int64_t i = 0; i < to; ++i) {
    double centre = ratio * (static_cast<double>(i) + 0.5);
    auto begin = std::max<int64_t>(
        0, static_cast<int64_t>(std::floor(centre - reach + 0.5)));
    auto end =
        std::min(from, static_cast<int64_t>(std::floor(centre + reach + 0.5)));
    SmallVector<std::pair<int64_t, double>> read;
    double sum = 0;
    for (int64_t row = begin; row < end; ++row) {
      double distance = static_cast<double>(row) + 0.5 - centre;
      read.emplace_back(row,
                        evaluateFilter(kind, distance / stretch, /*a=*/-0.5));
      sum += read.back().second;
    }
    for (auto &[row, weight] : read)
      weight /= sum;
    axis.append(read);
  }
  return axis;
}

static Axis getAxis(Learned2DOp op, unsigned number) {
  int64_t from = op.getGrid()[number], to = op.getNewGrid()[number];
  return op.getAntialias() ? getAntialiased(op, from, to)
                           : getInterpolation(op, from, to);
}

LogicalResult Learned2DOp::verify() {
  RankedTensorType type = getType(), table = getTable().getType();
  ArrayRef<int64_t> grid = getGrid(), newGrid = getNewGrid();
  auto isGrid = [](ArrayRef<int64_t> sizes) {
    return sizes.size() == 2 && sizes[0] > 0 && sizes[1] > 0;
  };
  auto prefix = static_cast<int64_t>(getPrefixTokens());
  if (!isGrid(grid) || !isGrid(newGrid) || prefix < 0) // C1
    return emitOpError() << "'grid' is [" << grid << "], 'new_grid' ["
                         << newGrid << "] and 'prefix_tokens' " << prefix
                         << "; give two positive numbers for each grid, and "
                            "no fewer than 0 tokens";
  int64_t rows = prefix + grid[0] * grid[1];
  if (!extentsMayAgree(table.getDimSize(0), rows)) // C2
    return emitOpError() << "table is " << table << "; " << prefix
                         << " tokens and a grid of " << grid[0] << " by "
                         << grid[1] << " are " << rows << " rows";
  int64_t length = prefix + newGrid[0] * newGrid[1];
  Type element = type.getElementType();
  if (!extentsMayAgree(type.getDimSize(0), length) ||
      !extentsMayAgree(type.getDimSize(1), table.getDimSize(1)) ||
      (!element.isF32() && element != table.getElementType())) // C3
    return emitOpError() << "result is " << type << "; it must be [" << length
                         << ", d] of f32 or the table's type, with the table's "
                            "d";
  if (getAlignCorners() && getAntialias()) // C4
    return emitOpError("aligns corners and is antialiased; drop one");
  if (int64_t reads = getAxis(*this, 0).taps * getAxis(*this, 1).taps;
      reads > kMostTrips) // C5
    return emitOpError() << "reads " << reads
                         << " rows for one; shrink the grid in steps, or "
                            "without 'antialias'";
  return verifySizes(*this, getSizes(), type); // C6
}

/// Column `column` of the weighted rows of `y` and `x`, places in the new grid.
static Value emitSum(OpBuilder &b, Location loc, Learned2DOp op, Value y,
                     Value x, Value column) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Axis rows = getAxis(op, 0), columns = getAxis(op, 1);
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(rows.taps * columns.taps), constant(1),
      createF32(b, loc, 0.0),
      [&](OpBuilder &b, Location loc, Value tap, ValueRange sum) {
        auto multiplyAdd = [&](Value a, Value factor, Value c) -> Value {
          return arith::AddIOp::create(
              b, loc, arith::MulIOp::create(b, loc, a, factor), c);
        };
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, loc, value);
        };
        Value wide = constant(columns.taps);
        Value u = multiplyAdd(y, constant(rows.taps),
                              arith::DivSIOp::create(b, loc, tap, wide));
        Value v =
            multiplyAdd(x, wide, arith::RemSIOp::create(b, loc, tap, wide));
        auto read = [&](const Axis &axis, Value at) {
          return castToIndex(
              b, loc, readTable(b, loc, ArrayRef<int32_t>(axis.rows), at));
        };
        Value row = multiplyAdd(read(rows, u), constant(op.getGrid()[1]),
                                read(columns, v));
        row = arith::AddIOp::create(
            b, loc, row, constant(static_cast<int64_t>(op.getPrefixTokens())));
        Value element =
            castToF32(b, loc,
                      tensor::ExtractOp::create(b, loc, op.getTable(),
                                                ValueRange{row, column}));
        Value weight = arith::MulFOp::create(
            b, loc, readTable(b, loc, ArrayRef<float>(rows.weights), u),
            readTable(b, loc, ArrayRef<float>(columns.weights), v));
        Value product = arith::MulFOp::create(b, loc, weight, element);
        scf::YieldOp::create(
            b, loc,
            arith::AddFOp::create(b, loc, sum.front(), product).getResult());
      });
  return loop.getResult(0);
}

Value Learned2DOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto prefix = static_cast<int64_t>(getPrefixTokens());
  Value number = at[0];
  if (prefix)
    // Tokens before the grid read its first row, and drop it.
    number = arith::MaxSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, at[0], constant(prefix)),
        constant(0));
  Value width = constant(getNewGrid()[1]);
  Value sum =
      emitSum(b, loc, *this, arith::DivSIOp::create(b, loc, number, width),
              arith::RemSIOp::create(b, loc, number, width), at[1]);
  if (prefix) {
    Value row = arith::MinSIOp::create(b, loc, at[0], constant(prefix - 1));
    Value token = castToF32(
        b, loc,
        tensor::ExtractOp::create(b, loc, getTable(), ValueRange{row, at[1]}));
    Value isToken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          at[0], constant(prefix));
    sum = arith::SelectOp::create(b, loc, isToken, token, sum);
  }
  return castFromF32(b, loc, sum, getType().getElementType());
}

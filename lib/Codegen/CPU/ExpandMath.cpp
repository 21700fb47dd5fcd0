//===- ExpandMath.cpp - math functions become arithmetic ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: math ops and posenc.cos_sin. After: arith, and the math ops for which
// every target has instructions.
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "posenc/Codegen/CPU/Passes.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using mlir::posenc::MathFunctions;

namespace {

bool isFloatOf(Type type, unsigned width) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() == width;
}

Type cloneWith(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// A function of floats of `Width` bits with one result.
template <typename Op, auto Function, unsigned Width>
struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!isFloatOf(op.getType(), Width))
      return b.notifyMatchFailure(op, "of another width");
    MathFunctions functions(b, op.getLoc(),
                            cloneWith(op.getType(), b.getF32Type()));
    if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
      b.replaceOp(op, (functions.*Function)(op->getOperand(0)));
    else
      b.replaceOp(op,
                  (functions.*Function)(op->getOperand(0), op->getOperand(1)));
    return success();
  }
};

template <typename Op, auto Function>
using ExpandF32 = Expand<Op, Function, 32>;
template <typename Op, auto Function>
using ExpandF64 = Expand<Op, Function, 64>;

struct ExpandCosSin : OpRewritePattern<posenc::CosSinOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(posenc::CosSinOp op,
                                PatternRewriter &b) const override {
    MathFunctions functions(b, op.getLoc(), op.getCos().getType());
    auto [cosine, sine] =
        functions.cosSin(op.getPosition(), op.getHi(), op.getLo());
    b.replaceOp(op, {cosine, sine});
    return success();
  }
};

/// 1 / sqrt x: two correctly rounded instructions.
struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &b) const override {
    Value root = math::SqrtOp::create(b, op.getLoc(), op.getOperand());
    Type type = op.getType();
    auto one = cast<TypedAttr>(b.getOneAttr(type));
    Value unit = arith::ConstantOp::create(b, op.getLoc(), one);
    b.replaceOpWithNewOp<arith::DivFOp>(op, unit, root);
    return success();
  }
};

/// A math op on a 16-bit float goes through f32.
struct WidenToF32 : RewritePattern {
  explicit WidenToF32(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &b) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return failure();
    if (!llvm::all_of(op->getOperandTypes(),
                      [](Type type) { return isFloatOf(type, 16); }))
      return b.notifyMatchFailure(op, "not a 16-bit float");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtFOp::create(
          b, op->getLoc(), cloneWith(operand.getType(), b.getF32Type()),
          operand));
    Type type = op->getResultTypes().front();
    bool isFloat = isFloatOf(type, 16);
    Type wide = isFloat ? cloneWith(type, b.getF32Type()) : type;
    Operation *widened = b.create(op->getLoc(), op->getName().getIdentifier(),
                                  operands, wide, op->getAttrs());
    Value result = widened->getResult(0);
    b.replaceOp(op, isFloat
                        ? arith::TruncFOp::create(b, op->getLoc(), type, result)
                        : result);
    return success();
  }
};

/// `value`, an f64, as the f32 that it was widened from or is equal to, or the
/// integer it was converted from; absent if it is none of them.
std::optional<OpFoldResult> getNarrowSource(Value value) {
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    APFloat number = constant.getValue();
    bool losesInfo = false;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    if (losesInfo)
      return std::nullopt;
    return FloatAttr::get(Float32Type::get(value.getContext()), number);
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::SIToFPOp>(op))
    return std::nullopt;
  Type source = op->getOperand(0).getType();
  if (!isFloatOf(source, 32) && !getElementTypeOrSelf(source).isInteger(32))
    return std::nullopt;
  return op->getOperand(0);
}

Value createF32(PatternRewriter &b, Location loc, Type type,
                OpFoldResult source) {
  if (auto constant = dyn_cast<Attribute>(source))
    return arith::ConstantOp::create(b, loc, cast<FloatAttr>(constant));
  auto value = cast<Value>(source);
  if (isFloatOf(value.getType(), 32))
    return value;
  return arith::SIToFPOp::create(b, loc, type, value);
}

/// A power of an f32 that a front end computes in f64 and rounds to f32, as
/// Python's numbers are: the f32 power is computed in f64 too.
struct NarrowPow : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    auto pow = op.getIn().getDefiningOp<math::PowFOp>();
    if (!pow || !pow.getType().isF64() || !op.getType().isF32())
      return failure();
    std::optional<OpFoldResult> base = getNarrowSource(pow.getLhs());
    std::optional<OpFoldResult> exponent = getNarrowSource(pow.getRhs());
    if (!base || !exponent)
      return b.notifyMatchFailure(op, "its operands are no f32 and no integer");
    b.replaceOpWithNewOp<math::PowFOp>(
        op, createF32(b, op.getLoc(), op.getType(), *base),
        createF32(b, op.getLoc(), op.getType(), *exponent));
    return success();
  }
};

/// What LLVM lowers to instructions on every target.
bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

struct ExpandMathPass : posenc::impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ExpandF32<math::ExpOp, &MathFunctions::exp>,
                 ExpandF32<math::Exp2Op, &MathFunctions::exp2>,
                 ExpandF32<math::ExpM1Op, &MathFunctions::expm1>,
                 ExpandF32<math::LogOp, &MathFunctions::log>,
                 ExpandF32<math::Log2Op, &MathFunctions::log2>,
                 ExpandF32<math::Log10Op, &MathFunctions::log10>,
                 ExpandF32<math::Log1pOp, &MathFunctions::log1p>,
                 ExpandF32<math::TanhOp, &MathFunctions::tanh>,
                 ExpandF32<math::ErfOp, &MathFunctions::erf>,
                 ExpandF32<math::SinOp, &MathFunctions::sin>,
                 ExpandF32<math::CosOp, &MathFunctions::cos>,
                 ExpandF32<math::AtanOp, &MathFunctions::atan>,
                 ExpandF32<math::PowFOp, &MathFunctions::pow>,
                 ExpandF64<math::Exp2Op, &MathFunctions::exp2OfF64>,
                 ExpandF64<math::Log2Op, &MathFunctions::log2OfF64>,
                 ExpandCosSin, ExpandRsqrt, NarrowPow, WidenToF32>(context);
    // Constant exponents first: a square is a product.
    populateMathAlgebraicSimplificationPatterns(patterns);
    math::populateExpansionPatterns(
        patterns,
        {"tan", "sinh", "cosh", "asinh", "acosh", "atanh", "fpowi", "clampf"});
    // Without the AVX512-BF16 instruction LLVM calls a library to round.
    arith::populateExpandBFloat16Patterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isInstruction(op))
        return WalkResult::advance();
      op->emitOpError("has no expansion for ")
          << op->getOperandTypes() << " on a CPU: use f32 or express it in "
          << "other functions";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

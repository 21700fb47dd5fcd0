//===- TestDomains.cpp - One region through every domain ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on memrefs of static shape whose regions read
// constant globals. After: code that evaluates score and mask at every element
// as they stand, and counts where another domain disagrees: a lane of Lanes, a
// number of Number, the bounds of Interval. Dependence becomes a remark.
//
//===----------------------------------------------------------------------===//

#include "../TestPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"
#include "posenc/Codegen/CPU/Lanes.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/Dependence.h"
#include "posenc/Formula/Interval.h"
#include "posenc/Formula/Number.h"
#include "posenc/Formula/RegionInterpreter.h"

using namespace mlir;
using namespace mlir::posenc;

/// Rows that are one vector; what x is in every evaluation.
static constexpr int64_t kWidth = 8;
static constexpr float kScore = 0.5f;

/// The element of a constant global.
static Number readGlobal(Value memref, ArrayRef<int64_t> at) {
  auto get = memref.getDefiningOp<memref::GetGlobalOp>();
  if (!get)
    return {};
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
  auto elements = dyn_cast<ElementsAttr>(*global.getInitialValue());
  if (llvm::any_of(llvm::zip_equal(at, elements.getShapedType().getShape()),
                   [](auto pair) {
                     auto [index, extent] = pair;
                     return index < 0 || index >= extent;
                   }))
    return {};
  return Number::ofAttribute(elements.getValues<Attribute>()[ArrayRef<uint64_t>(
      reinterpret_cast<const uint64_t *>(at.data()), at.size())]);
}

namespace {
class Checker {
public:
  Checker(AttentionOp op, Region &region)
      : op(op), region(region), b(op.getLoc(), op),
        hasScore(region.getNumArguments() == 5) {}

  void emit(StringRef name) {
    remarkDependence(name);
    Value count =
        memref::AllocaOp::create(b, MemRefType::get({3}, b.getIndexType()));
    Value zero = index(0), one = index(1);
    for (int64_t domain = 0; domain < 3; ++domain)
      memref::StoreOp::create(b, zero, count, index(domain));
    auto query = cast<MemRefType>(op.getQuery().getType());
    auto key = cast<MemRefType>(op.getKey().getType());
    auto [numbers, known] =
        buildNumbers(query.getDimSize(2), key.getDimSize(2));
    auto rows =
        scf::ForOp::create(b, zero, index(query.getDimSize(2)), index(kWidth));
    b.setInsertionPoint(rows.getBody()->getTerminator());
    auto keys = scf::ForOp::create(b, zero, index(key.getDimSize(2)), one);
    b.setInsertionPoint(keys.getBody()->getTerminator());
    emitBlock(rows.getInductionVar(), keys.getInductionVar(), numbers, known,
              count);
    b.setInsertionPoint(op);
    for (auto [domain, kind] :
         llvm::enumerate(ArrayRef<StringRef>{"lanes", "number", "interval"})) {
      vector::PrintOp::create(b, (name + " " + kind + " ").str());
      Value wrong = memref::LoadOp::create(b, count, index(domain));
      vector::PrintOp::create(b, wrong);
    }
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value score() {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(kScore));
  }

  /// `arguments` with the score in front where the region takes it.
  template <typename T> SmallVector<T> withScore(T x, ArrayRef<T> indices) {
    SmallVector<T> arguments;
    if (hasScore)
      arguments.push_back(x);
    arguments.append(indices.begin(), indices.end());
    return arguments;
  }

  void remarkDependence(StringRef name) {
    DependenceDomain domain;
    SmallVector<Dependence> arguments =
        withScore<Dependence>(Dependence::onIndex(Dependence::Other),
                              {Dependence::onIndex(Dependence::Batch),
                               Dependence::onIndex(Dependence::Head),
                               Dependence::onIndex(Dependence::Row),
                               Dependence::onIndex(Dependence::Key)});
    unsigned indices =
        interpret(region, ArrayRef(arguments), domain).front().getIndices();
    InFlightDiagnostic remark = op.emitRemark() << name << " depends on";
    for (auto [bit, spelling] : {std::pair{Dependence::Batch, " b"},
                                 {Dependence::Head, " h"},
                                 {Dependence::Row, " i"},
                                 {Dependence::Key, " j"},
                                 {Dependence::Distance, " j-i"},
                                 {Dependence::Other, " x"}})
      if (indices & bit)
        remark << spelling;
  }

  /// Globals with the region's number at every row and key, and whether there
  /// is one: what is undefined may be anything.
  std::pair<Value, Value> buildNumbers(int64_t rows, int64_t keys) {
    NumberDomain domain([](Value) { return Number(); }, readGlobal);
    Type element = region.front().getTerminator()->getOperand(0).getType();
    SmallVector<Attribute> values, known;
    auto integer = [](int64_t i) { return Number::ofInteger(i); };
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t key = 0; key < keys; ++key) {
        SmallVector<Number> arguments = withScore<Number>(
            Number::ofReal(kScore),
            {integer(0), integer(0), integer(row), integer(key)});
        Number number = interpret(region, ArrayRef(arguments), domain).front();
        known.push_back(b.getBoolAttr(number.isKnown()));
        values.push_back(number.isReal()
                             ? FloatAttr::get(element, number.getReal())
                         : number.isInteger()
                             ? IntegerAttr::get(element, number.getInteger())
                             : b.getZeroAttr(element));
      }
    return {buildGlobal({rows, keys}, values),
            buildGlobal({rows, keys}, known)};
  }

  Value buildGlobal(ArrayRef<int64_t> shape, ArrayRef<Attribute> values) {
    Type element = cast<TypedAttr>(values.front()).getType();
    auto type = MemRefType::get(shape, element);
    auto module = op->getParentOfType<ModuleOp>();
    OpBuilder detached(op.getContext());
    auto global = memref::GlobalOp::create(
        detached, op.getLoc(), "numbers", b.getStringAttr("private"), type,
        DenseElementsAttr::get(RankedTensorType::get(shape, element), values),
        /*constant=*/true, /*alignment=*/IntegerAttr());
    SymbolTable(module).insert(global);
    return memref::GetGlobalOp::create(b, type, global.getSymName());
  }

  /// The region as it stands.
  Value emitScalar(Value row, Value key) {
    IRMapping mapping;
    SmallVector<Value> arguments =
        withScore<Value>(score(), {index(0), index(0), row, key});
    mapping.map(region.getArguments(), arguments);
    for (Operation &inner : region.front().without_terminator())
      b.clone(inner, mapping);
    return mapping.lookupOrDefault(
        region.front().getTerminator()->getOperand(0));
  }

  void emitBlock(Value row, Value key, Value numbers, Value known,
                 Value count) {
    Value lanes = emitLanes(row, key);
    Interval bounds = emitInterval(row, key);
    for (int64_t lane = 0; lane < kWidth; ++lane) {
      Value laneRow = arith::AddIOp::create(b, row, index(lane));
      Value expected = emitScalar(laneRow, key);
      countDifference(vector::ExtractOp::create(b, lanes, lane), expected,
                      count, 0);
      Value number =
          memref::LoadOp::create(b, numbers, ValueRange{laneRow, key});
      Value isKnown =
          memref::LoadOp::create(b, known, ValueRange{laneRow, key});
      countDifference(arith::SelectOp::create(b, isKnown, number, expected),
                      expected, count, 1);
      // Of a condition: true wherever low is, and high wherever it is true.
      if (bounds.isKnown()) {
        countDifference(arith::AndIOp::create(b, bounds.getLow(), expected),
                        bounds.getLow(), count, 2);
        countDifference(arith::OrIOp::create(b, bounds.getHigh(), expected),
                        bounds.getHigh(), count, 2);
      }
    }
  }

  Value emitLanes(Value row, Value key) {
    Value zero = index(0), x = score();
    Lanes domain(op.getLoc(), kWidth, {b});
    SmallVector<LaneValue> arguments =
        withScore<LaneValue>(LaneValue{x}, {LaneValue{zero}, LaneValue{zero},
                                            LaneValue{row, 1}, LaneValue{key}});
    return domain.asVector(
        interpret(region, ArrayRef(arguments), domain).front());
  }

  Interval emitInterval(Value row, Value key) {
    Value last = arith::AddIOp::create(b, row, index(kWidth - 1));
    Value zero = index(0), x = score();
    IntervalDomain domain(b, op.getLoc());
    SmallVector<Interval> arguments = withScore<Interval>(
        Interval::ofPoint(x), {Interval::ofPoint(zero), Interval::ofPoint(zero),
                               Interval(row, last), Interval::ofPoint(key)});
    Interval result = interpret(region, ArrayRef(arguments), domain).front();
    bool isCondition =
        result.isKnown() && result.getLow().getType().isInteger(1);
    return isCondition ? result : Interval();
  }

  /// Adds one to the domain's count where the two differ.
  void countDifference(Value seen, Value expected, Value count,
                       int64_t domain) {
    Value differs;
    if (isa<FloatType>(expected.getType()))
      differs =
          arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, seen, expected);
    else
      differs =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, seen, expected);
    Value before = memref::LoadOp::create(b, count, index(domain));
    Value more = arith::IndexCastUIOp::create(b, b.getIndexType(), differs);
    memref::StoreOp::create(b, arith::AddIOp::create(b, before, more), count,
                            index(domain));
  }

  AttentionOp op;
  Region &region;
  ImplicitLocOpBuilder b;
  bool hasScore;
};

struct TestDomainsPass : PassWrapper<TestDomainsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDomainsPass)

  StringRef getArgument() const override { return "test-posenc-domains"; }
  StringRef getDescription() const override {
    return "counts where the domains disagree with attention's regions";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops) {
      auto isStatic = [](Value operand) {
        auto type = dyn_cast<MemRefType>(operand.getType());
        return type && type.hasStaticShape();
      };
      if (!isStatic(op.getQuery()) || !isStatic(op.getKey())) {
        op.emitError("only memrefs of static shape can be checked");
        return signalPassFailure();
      }
      if (!op.getScore().empty())
        Checker(op, op.getScore()).emit("score");
      if (!op.getMask().empty())
        Checker(op, op.getMask()).emit("mask");
      op.erase();
    }
  }
};
} // namespace

void posenc::test::registerTestDomainsPass() {
  PassRegistration<TestDomainsPass>();
}

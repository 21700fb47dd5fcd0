//===- OutlineTasks.cpp - scf.forall becomes tasks of the pool ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: scf.forall on memrefs. After: a private function a forall, and calls
// of posenc_parallel_for.
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Passes.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_OUTLINETASKSPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;

namespace {

/// Cache lines and vectors begin at multiples of this.
constexpr int64_t scratchAlignment = 64;

Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

/// Clones constants used in `region` into it, then returns the other values it
/// uses from above.
SmallVector<Value> captures(Region &region) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  OpBuilder b(&region);
  SmallVector<Value> captured;
  for (Value value : used) {
    Operation *op = value.getDefiningOp();
    if (op && (op->hasTrait<OpTrait::ConstantLike>() ||
               isa<memref::GetGlobalOp>(op))) {
      replaceAllUsesInRegionWith(value, b.clone(*op)->getResult(0), region);
      continue;
    }
    captured.push_back(value);
  }
  return captured;
}

/// The iteration space of an scf.forall, inside its task.
struct ItemSpace {
  SmallVector<Value> lowers, steps, sizes;
};

class TaskOutliner {
public:
  TaskOutliner(ModuleOp module, const LLVMTypeConverter &converter)
      : module(module), converter(converter), symbols(module),
        b(module.getContext()), layout(module) {}

  LogicalResult outline(scf::ForallOp forall);

private:
  LogicalResult serialise(scf::ForallOp forall);
  Value countItems(scf::ForallOp forall, SmallVectorImpl<Value> &trips);
  Value packContext(scf::ForallOp forall, ArrayRef<Value> captured);
  func::FuncOp createTask(scf::ForallOp forall, ArrayRef<Value> captured,
                          ArrayRef<Value> trips);
  func::FuncOp declareTask(scf::ForallOp forall);
  void unpackContext(Location loc, Value context, ArrayRef<Value> captured,
                     IRMapping &mapping);
  void mapItem(scf::ForallOp forall, Value number, const ItemSpace &space,
               IRMapping &mapping);
  LogicalResult moveAllocations(func::FuncOp task, int64_t &bytes);
  func::FuncOp declareParallelFor();

  /// The bytes of a memref of static shape; none where they overflow.
  std::optional<int64_t> sizeInBytes(MemRefType type) {
    int64_t size = layout.getTypeSize(type.getElementType());
    for (int64_t extent : type.getShape())
      if (llvm::MulOverflow(size, extent, size))
        return std::nullopt;
    return size;
  }

  /// The struct in which the captured values travel.
  LLVM::LLVMStructType contextType(ArrayRef<Value> captured) {
    return LLVM::LLVMStructType::getLiteral(
        b.getContext(), llvm::map_to_vector(captured, [&](Value value) {
          return converter.convertType(value.getType());
        }));
  }

  ModuleOp module;
  const LLVMTypeConverter &converter;
  SymbolTable symbols;
  OpBuilder b;
  DataLayout layout;
};

/// A forall inside a task runs on the task's thread.
LogicalResult TaskOutliner::serialise(scf::ForallOp forall) {
  SmallVector<scf::ForallOp> nested;
  forall.getBody()->walk([&](scf::ForallOp op) { nested.push_back(op); });
  IRRewriter rewriter(b.getContext());
  for (scf::ForallOp op : nested) {
    rewriter.setInsertionPoint(op);
    if (failed(scf::forallToForLoop(rewriter, op)))
      return op.emitError(
          "scf.forall with results reached posenc-outline-tasks");
  }
  return success();
}

/// Emits the trip count of each dimension and returns their product.
Value TaskOutliner::countItems(scf::ForallOp forall,
                               SmallVectorImpl<Value> &trips) {
  Location loc = forall.getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value count = one;
  for (auto [lower, upper, step] :
       llvm::zip_equal(forall.getLowerBound(b), forall.getUpperBound(b),
                       forall.getStep(b))) {
    Value span = b.createOrFold<arith::SubIOp>(loc, upper, lower);
    Value trip = span;
    if (getConstantIntValue(step) != 1) {
      Value biased = b.createOrFold<arith::AddIOp>(
          loc, span, b.createOrFold<arith::SubIOp>(loc, step, one));
      trip = b.createOrFold<arith::DivSIOp>(loc, biased, step);
    }
    trips.push_back(trip);
    count = b.createOrFold<arith::MulIOp>(loc, count, trip);
  }
  return count;
}

/// Stores `captured` to a struct on the stack, allocated in the entry block so
/// that loops do not grow the stack.
Value TaskOutliner::packContext(scf::ForallOp forall,
                                ArrayRef<Value> captured) {
  Location loc = forall.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (captured.empty())
    return LLVM::ZeroOp::create(b, loc, pointer);
  LLVM::LLVMStructType type = contextType(captured);
  Value context;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        &forall->getParentOfType<func::FuncOp>().getBody().front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                         b.getI64IntegerAttr(1));
    context = LLVM::AllocaOp::create(b, loc, pointer, type, one);
  }
  for (auto [at, value] : llvm::enumerate(captured)) {
    Value field = LLVM::GEPOp::create(b, loc, pointer, type, context,
                                      ArrayRef<LLVM::GEPArg>{0, int32_t(at)});
    LLVM::StoreOp::create(b, loc, castTo(b, loc, type.getBody()[at], value),
                          field);
  }
  return context;
}

/// An empty task for `forall`: `(ctx, begin, end, scratch)`.
func::FuncOp TaskOutliner::declareTask(scf::ForallOp forall) {
  auto parent = forall->getParentOfType<func::FuncOp>();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  b.setInsertionPointAfter(parent);
  auto task = func::FuncOp::create(
      b, forall.getLoc(), (parent.getName() + "__task").str(),
      b.getFunctionType({pointer, i64, i64, pointer}, {}));
  task.setPrivate();
  symbols.insert(task);
  return task;
}

/// Loads what `packContext` stored and maps each captured value to it.
void TaskOutliner::unpackContext(Location loc, Value context,
                                 ArrayRef<Value> captured, IRMapping &mapping) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  LLVM::LLVMStructType type = contextType(captured);
  for (auto [at, value] : llvm::enumerate(captured)) {
    Value field = LLVM::GEPOp::create(b, loc, pointer, type, context,
                                      ArrayRef<LLVM::GEPArg>{0, int32_t(at)});
    Value loaded = LLVM::LoadOp::create(b, loc, type.getBody()[at], field);
    mapping.map(value, castTo(b, loc, value.getType(), loaded));
  }
}

/// Maps the induction variables of `forall` to those of item `number` of its
/// linearised iteration space, the last dimension the fastest.
void TaskOutliner::mapItem(scf::ForallOp forall, Value number,
                           const ItemSpace &space, IRMapping &mapping) {
  Location loc = forall.getLoc();
  for (unsigned at = space.sizes.size(); at-- > 0;) {
    Value item = number;
    if (at > 0) {
      item = arith::RemUIOp::create(b, loc, number, space.sizes[at]);
      number = arith::DivUIOp::create(b, loc, number, space.sizes[at]);
    }
    Value offset = b.createOrFold<arith::MulIOp>(loc, item, space.steps[at]);
    mapping.map(forall.getInductionVar(at),
                b.createOrFold<arith::AddIOp>(loc, space.lowers[at], offset));
  }
}

/// Moves the body of `forall` into a new function that runs a range of items.
func::FuncOp TaskOutliner::createTask(scf::ForallOp forall,
                                      ArrayRef<Value> captured,
                                      ArrayRef<Value> trips) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = forall.getLoc();
  func::FuncOp task = declareTask(forall);
  Block *entry = task.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  unpackContext(loc, entry->getArgument(0), captured, mapping);
  auto inTask = [&](Value value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return Value(arith::ConstantIndexOp::create(b, loc, *constant));
    return mapping.lookup(value);
  };
  ItemSpace space;
  for (auto [lower, step, trip] : llvm::zip_equal(
           forall.getMixedLowerBound(), forall.getMixedStep(), trips)) {
    space.lowers.push_back(
        inTask(getValueOrCreateConstantIndexOp(b, loc, lower)));
    space.steps.push_back(
        inTask(getValueOrCreateConstantIndexOp(b, loc, step)));
    space.sizes.push_back(inTask(trip));
  }
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, toIndex(entry->getArgument(1)),
                                 toIndex(entry->getArgument(2)), one);
  func::ReturnOp::create(b, loc);

  b.setInsertionPointToStart(loop.getBody());
  mapItem(forall, loop.getInductionVar(), space, mapping);
  for (Operation &op : forall.getBody()->without_terminator())
    b.clone(op, mapping);
  return task;
}

/// Makes allocations of constant size in `task` ranges of its scratch, one
/// after another, and adds them up in `bytes`.
LogicalResult TaskOutliner::moveAllocations(func::FuncOp task, int64_t &bytes) {
  SmallVector<Operation *> allocations;
  task.walk([&](Operation *op) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      allocations.push_back(op);
  });
  for (Operation *op : allocations) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
      if (isa<memref::AllocaOp>(op))
        return op->emitError(
            "stack allocation of run-time size in a task: make "
            "its size constant or use memref.alloc");
      continue;
    }
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    b.setInsertionPoint(op);
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value memory = LLVM::GEPOp::create(b, op->getLoc(), pointer, b.getI8Type(),
                                       task.getArgument(3),
                                       ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
    Value descriptor = MemRefDescriptor::fromStaticShape(
        b, op->getLoc(), converter, type, memory);
    op->getResult(0).replaceAllUsesWith(
        castTo(b, op->getLoc(), type, descriptor));
    std::optional<int64_t> size = sizeInBytes(type);
    if (!size || *size > std::numeric_limits<int32_t>::max() - bytes)
      return op->emitError("a task's scratch is over the limit of 2 GiB with ")
             << type << ": make its tiles smaller";
    bytes += llvm::alignTo(*size, scratchAlignment);
    op->erase();
  }
  return success();
}

func::FuncOp TaskOutliner::declareParallelFor() {
  constexpr StringLiteral name = "posenc_parallel_for";
  if (auto declared = symbols.lookup<func::FuncOp>(name))
    return declared;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto function =
      func::FuncOp::create(b, module.getLoc(), name,
                           b.getFunctionType({pointer, pointer, i64, i64}, {}));
  function.setPrivate();
  symbols.insert(function);
  return function;
}

LogicalResult TaskOutliner::outline(scf::ForallOp forall) {
  if (forall->getNumResults() != 0)
    return forall.emitError("scf.forall with results reached "
                            "posenc-outline-tasks: bufferize first");
  if (failed(serialise(forall)))
    return failure();
  Location loc = forall.getLoc();
  b.setInsertionPoint(forall);
  SmallVector<Value> trips;
  Value count = countItems(forall, trips);
  SetVector<Value> needed(llvm::from_range, captures(forall.getRegion()));
  for (ValueRange values :
       {ValueRange(trips), ValueRange(forall.getDynamicLowerBound()),
        ValueRange(forall.getDynamicStep())})
    for (Value value : values)
      if (!getConstantIntValue(value))
        needed.insert(value);
  SmallVector<Value> captured = needed.takeVector();

  b.setInsertionPoint(forall);
  Value context = packContext(forall, captured);
  func::FuncOp task = createTask(forall, captured, trips);
  int64_t scratchBytes = 0;
  {
    OpBuilder::InsertionGuard guard(b);
    if (failed(moveAllocations(task, scratchBytes)))
      return failure();
  }
  Value function = func::ConstantOp::create(b, loc, task.getFunctionType(),
                                            SymbolRefAttr::get(task));
  Type i64 = b.getI64Type();
  func::CallOp::create(
      b, loc, declareParallelFor(),
      ValueRange{
          castTo(b, loc, LLVM::LLVMPointerType::get(b.getContext()), function),
          context, arith::IndexCastOp::create(b, loc, i64, count),
          arith::ConstantIntOp::create(b, loc, i64, scratchBytes)});
  forall.erase();
  return success();
}

struct OutlineTasksPass : posenc::impl::OutlineTasksPassBase<OutlineTasksPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    LLVMTypeConverter converter(&getContext());
    TaskOutliner outliner(module, converter);
    SmallVector<scf::ForallOp> outermost;
    module.walk<WalkOrder::PreOrder>([&](scf::ForallOp forall) {
      outermost.push_back(forall);
      return WalkResult::skip();
    });
    for (scf::ForallOp forall : outermost)
      if (failed(outliner.outline(forall)))
        return signalPassFailure();
  }
};

} // namespace

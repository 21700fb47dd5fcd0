//===- EntryAbi.cpp - Graph functions become entries on memrefs -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: func.func @NAME on tensors. After: @NAME on memrefs, inputs then
// outputs, its body still on tensors between bufferization.to_tensor and
// materialize_in_destination; @NAME__shapes; posenc.functions on the module.
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "EntrySignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "posenc/Plan/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_ENTRYABIPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Replaces the tensor arguments by memrefs, read through to_tensor.
static void convertInputs(func::FuncOp func, const EntrySignature &signature) {
  Block &body = func.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), signature.inputs)) {
    argument.setType(getEntryMemRefType(input.type));
    auto read = bufferization::ToTensorOp::create(
        b, argument.getLoc(), input.type, argument, /*restrict=*/true,
        /*writable=*/input.donatedResult.has_value());
    argument.replaceAllUsesExcept(read, read);
  }
}

/// Whether the buffer of `value` may be that of an input other than `input`:
/// such an input is found through tensor ops and destinations.
static bool mayAliasOtherInput(Value value, Value input) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (unsigned next = 0; next < seen.size(); ++next) {
    Operation *op = seen[next].getDefiningOp();
    if (!op || !isa<TensorType>(seen[next].getType()))
      continue;
    if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
      if (read.getBuffer() != input)
        return true;
    } else if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
      for (Value init : dps.getDpsInits())
        seen.insert(init);
    } else if (op->getNumRegions() != 0) {
      return true;
    } else {
      seen.insert(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

static void materialize(OpBuilder &b, Location loc, Value value,
                        Value destination) {
  bufferization::MaterializeInDestinationOp::create(
      b, loc, /*resultTypes=*/TypeRange(), value, destination,
      /*restrict=*/true, /*writable=*/true);
}

/// Writes what `value` was collapsed from into an expanded view of
/// `destination`, made at the entry, so that it can be computed in place.
static void expandDestination(Value &value, Value &destination) {
  while (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
    RankedTensorType type = collapse.getSrcType();
    auto reassociation = collapse.getReassociationIndices();
    bool isInferable =
        llvm::all_of(reassociation, [&](ArrayRef<int64_t> group) {
          return llvm::count_if(group, [&](int64_t dimension) {
                   return type.isDynamicDim(dimension);
                 }) <= 1;
        });
    FailureOr<MemRefType> view = memref::ExpandShapeOp::computeExpandedType(
        cast<MemRefType>(destination.getType()), type.getShape(),
        reassociation);
    if (!isInferable || failed(view))
      return;
    OpBuilder b(destination.getContext());
    b.setInsertionPointAfterValue(destination);
    destination = memref::ExpandShapeOp::create(b, collapse.getLoc(), *view,
                                                destination, reassociation);
    value = collapse.getSrc();
  }
}

/// Adds an argument an output and writes the results into their destinations.
static void convertResults(func::FuncOp func, const EntrySignature &signature) {
  Block &body = func.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  OpBuilder b(ret);
  for (unsigned output : signature.getOutputs()) {
    Value destination = body.addArgument(
        getEntryMemRefType(signature.results[output].type), func.getLoc());
    Value value = ret.getOperand(output);
    expandDestination(value, destination);
    materialize(b, ret.getLoc(), value, destination);
  }
  // Donated inputs are overwritten last, when nothing reads them any more but
  // results that go to other donated inputs: those are copied first.
  SmallVector<std::pair<Value, Value>> donations;
  for (auto [result, operand] :
       llvm::zip_equal(signature.results, ret.getOperands())) {
    if (!result.donatedInput)
      continue;
    Value destination = body.getArgument(*result.donatedInput);
    Value value = operand;
    if (mayAliasOtherInput(value, destination))
      value = bufferization::AllocTensorOp::create(
          b, ret.getLoc(), result.type, /*dynamicSizes=*/ValueRange(),
          /*copy=*/value, /*size_hint=*/Value(), /*memory_space=*/Attribute());
    donations.emplace_back(value, destination);
  }
  for (auto [value, destination] : donations)
    materialize(b, ret.getLoc(), value, destination);
  ret.getOperandsMutable().clear();
}

/// Gives `func` the type of its block and the names of its outputs.
static void convertType(func::FuncOp func, const EntrySignature &signature) {
  Builder b(func.getContext());
  Block &body = func.getBody().front();
  SmallVector<Attribute> attrs;
  for (unsigned number = 0; number < signature.inputs.size(); ++number)
    attrs.push_back(func.getArgAttrDict(number) ? func.getArgAttrDict(number)
                                                : b.getDictionaryAttr({}));
  for (unsigned output : signature.getOutputs())
    attrs.push_back(b.getDictionaryAttr(
        b.getNamedAttr(kNameAttr, signature.results[output].name)));
  func.setAllResultAttrs(ArrayRef<Attribute>());
  func.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
  func.setAllArgAttrs(attrs);
  func->setAttr(kEntryAttr, b.getUnitAttr());
}

static LogicalResult refuseCalls(func::FuncOp func) {
  WalkResult result = func.walk([&](func::CallOp call) {
    call.emitError() << "'" << func.getName() << "' calls '" << call.getCallee()
                     << "'; a graph is one function, inline the callee first";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether `name` is a function of the C or of the math library, or another one
/// that the runtime calls: a library that defined it would call its graph.
static bool isLibraryFunction(StringRef name) {
  static constexpr StringLiteral systemFunctions[] = {
      "_fini",     "_init",      "_setjmp", "clock_gettime", "dlopen",
      "dlsym",     "getpid",     "longjmp", "sched_yield",   "setjmp",
      "sigaction", "sigfillset", "syscall"};
  static const llvm::TargetLibraryInfoImpl library{llvm::Triple()};
  llvm::LibFunc function;
  return library.getLibFunc(name, function) ||
         llvm::is_contained(systemFunctions, name) ||
         name.starts_with("pthread_") || name.starts_with("omp_");
}

/// An entry becomes a C function of a library: a graph whose name C or a
/// library reserves gets `_graph` behind it, and one that begins like the names
/// of the runtime, of C or of MLIR gets `graph_` before it.
static void avoidReservedName(func::FuncOp func) {
  static constexpr StringLiteral prefixes[] = {"__", "_mlir_", "posenc_"};
  StringRef name = func.getName();
  if (llvm::any_of(prefixes,
                   [&](StringRef prefix) { return name.starts_with(prefix); }))
    func.setName(("graph_" + name).str());
  else if (isReservedName(name) || isLibraryFunction(name))
    func.setName((name + "_graph").str());
}

/// Refuses a name that another symbol has, or that the C functions and bodies
/// made for `func` would share with one.
static LogicalResult refuseTakenNames(func::FuncOp func) {
  StringRef name = func.getName();
  for (StringRef suffix : {"", "_shapes", "__shapes", "__compute"}) {
    Operation *other =
        SymbolTable::lookupSymbolIn(func->getParentOp(), (name + suffix).str());
    if (other && other != func)
      return func.emitError()
             << "the function '" << name << suffix << "' made for the graph '"
             << name << "' and '" << name << suffix
             << "' of the module have one name; rename one of them";
  }
  return success();
}

namespace {
struct EntryAbiPass : posenc::impl::EntryAbiPassBase<EntryAbiPass> {
  void runOnOperation() override {
    // What has been planned before stays.
    SmallVector<Attribute> functions;
    if (auto known = getOperation()->getAttrOfType<ArrayAttr>(kFunctionsAttr))
      functions.assign(known.begin(), known.end());
    auto graphs = llvm::to_vector(llvm::make_filter_range(
        getOperation().getOps<func::FuncOp>(), [](func::FuncOp func) {
          return func.isPublic() && !func.isExternal() &&
                 !func->hasAttr(kEntryAttr) && !func->hasAttr(kShapesAttr);
        }));
    llvm::for_each(graphs, avoidReservedName);
    for (func::FuncOp func : graphs)
      if (failed(refuseTakenNames(func)))
        return signalPassFailure();
    for (func::FuncOp func : graphs) {
      if (failed(refuseCalls(func)))
        return signalPassFailure();
      FailureOr<EntrySignature> signature = EntrySignature::read(func);
      if (failed(signature))
        return signalPassFailure();
      functions.push_back(signature->getDescription(func));
      if (failed(buildShapesFunction(func, *signature)))
        return signalPassFailure();
      convertInputs(func, *signature);
      convertResults(func, *signature);
      convertType(func, *signature);
    }
    Builder b(&getContext());
    getOperation()->setAttr(kFunctionsAttr, b.getArrayAttr(functions));
  }
};
} // namespace

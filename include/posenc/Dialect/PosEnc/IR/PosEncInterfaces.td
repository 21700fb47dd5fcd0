//===- PosEncInterfaces.td - What passes may ask of an op ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes know encodings only through these interfaces. A new encoding
// implements one of the first two, and the third if it can be recognised in
// primitive ops.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_INTERFACES
#define POSENC_INTERFACES

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def FormulaOpInterface : OpInterface<"FormulaOpInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    An op with one tensor result, each element of which is a scalar formula of
    its indices: additive encodings, score biases, masks.

    The formula may contain *formula ops* only: scalar `arith` and `math`,
    `tensor.extract` from the op's own operands, `tensor.dim`, `scf.for` with
    constant bounds, and `posenc.cos_sin`.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits, at the insertion point of `b`, element `at` of the result and
      returns it, of the result's element type.

      The caller passes one `index` value a result dimension, each within the
      dimension's extent. The formula is total: it is defined for every such
      index, masked or not, and never fails.
    }], "::mlir::Value", "emitElement",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc,
           "::mlir::ValueRange":$at)>
  ];
}

def RotaryOpInterface : OpInterface<"RotaryOpInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    An op that rotates pairs of lanes of one operand by an angle of the row's
    position. Scaling, decay (xPos) and direction are inside the cosine and the
    sine, so `(x, y)` becomes `(x cos - y sin, x sin + y cos)` in every variant.
  }];
  let methods = [
    InterfaceMethod<"The lanes that form a pair.",
      "::mlir::posenc::LanesAttr", "getLanes", (ins)>,
    InterfaceMethod<"The rotated operand; the result has its type.",
      "::mlir::OpOperand &", "getRotatedOperand", (ins)>,
    InterfaceMethod<"The axis order of the rotated operand.",
      "::mlir::posenc::Layout", "getRotatedLayout", (ins)>,
    InterfaceMethod<[{
      Creates, at the insertion point of `b`, the same rotation of `input` and
      returns its result. `input` holds the elements of the rotated operand in
      the axis order `layout`, from lane `lane` on; its other lanes pass through.
    }], "::mlir::Value", "rotate",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Value":$input,
           "::mlir::posenc::Layout":$layout, "int64_t":$lane)>,
    InterfaceMethod<[{
      Returns what equals this rotation of the result of `inner`, which is the
      rotated operand: the input of `inner` where the two cancel, or the result
      of one rotation created at the insertion point of `b`. Null, and nothing
      created, where there is none.
    }], "::mlir::Value", "composeWith",
      (ins "::mlir::OpBuilder &":$b, "::mlir::posenc::RotaryOpInterface":$inner),
      "", "return {};">,
    InterfaceMethod<[{
      Emits, at the insertion point of `b`, the cosine and the sine (f32) that
      rotate pair `pair` of the row `batchHeadRow` (three `index` values: batch,
      head, row). Formula ops only; total; cannot fail.
    }], "std::pair<::mlir::Value, ::mlir::Value>", "emitCosSin",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc,
           "::mlir::ValueRange":$batchHeadRow, "::mlir::Value":$pair)>,
    InterfaceMethod<[{
      Why rows that this op rotated in one call must not be read by a later one,
      as from a cache of rotated keys; empty where they may.
    }], "::std::string", "whyNotKept", (ins), "", "return {};">,
    InterfaceMethod<[{
      Why queries that this op rotates and keys that `key` rotates do not belong
      together; empty where they do, or where only a call can tell.
    }], "::std::string", "whyUnlike",
      (ins "::mlir::posenc::RotaryOpInterface":$key), "", "return {};">
  ];
}

def TableReadOpInterface : OpInterface<"TableReadOpInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    An op that reads rows of a table and for which a row outside of the table is
    an error, although its formula reads the nearest row there.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends to `conditions` what must hold for every row to lie within the
      table: an `i1`, emitted at the insertion point of `b` and folded where
      sizes are constants, and the sentence to report where it is false.

      Conditions are on sizes, offsets, extents and the lengths of sequences:
      rows that a tensor of positions says have none.
    }], "void", "emitRangeConditions",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc,
           "::llvm::SmallVectorImpl<std::pair<::mlir::Value, ::std::string>> &":$conditions)>
  ];
}

def RaisableOpInterface : OpInterface<"RaisableOpInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    An op that can be recognised in a graph of primitive ops.
  }];
  let methods = [
    StaticInterfaceMethod<[{
      Appends to `candidates` what the formula `seen` may be, as detached ops
      created with `b`. Their operands are leaves of `seen`, values defined
      before it, or dims and constants that the proposal creates in the graph,
      right behind `seen`'s tensor: the proof reads what they are, and those of
      no kept candidate are dead. The caller proves each candidate against
      `seen`, keeps at most one, and erases the rest; so a proposal may be
      wrong, but must verify.
    }], "void", "propose",
      (ins "const ::mlir::posenc::ElementFormula &":$seen,
           "::mlir::OpBuilder &":$b,
           "::llvm::SmallVectorImpl<::mlir::Operation *> &":$candidates)>
  ];
}

def FrequenciesAttrInterface : AttrInterface<"FrequenciesAttrInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = "How fast each pair of a rotary encoding turns.";
  let methods = [
    InterfaceMethod<[{
      The frequencies in radians a position, one a pair: `rotaryDim / 2` of
      them, in float64. Those of a short sequence where they depend on its
      length.
    }], "::llvm::SmallVector<double>", "getFrequencies",
      (ins "int64_t":$rotaryDim)>,
    InterfaceMethod<"The factor that multiplies every cosine and sine.",
      "double", "getAttentionFactor", (ins)>,
    InterfaceMethod<[{
      Verifies that `rotaryDim` lanes can turn so, which `getFrequencies` and
      `emitTurns` take for granted.
    }], "::llvm::LogicalResult", "verifyRotaryDim",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "int64_t":$rotaryDim), "", "return ::mlir::success();">,
    InterfaceMethod<"Whether the frequencies depend on the length of a call.",
      "bool", "dependsOnLength", (ins), "", "return false;">,
    InterfaceMethod<[{
      Emits, at the insertion point of `b`, the frequency of pair `pair` in
      turns a position, as two f32 that add up to it. `pairs` says which
      frequency each pair has; `length` is the length of the call, null unless
      they depend on it. Formula ops only; total; cannot fail.
    }], "std::pair<::mlir::Value, ::mlir::Value>", "emitTurns",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc,
           "::llvm::ArrayRef<::mlir::posenc::PairFrequency>":$pairs,
           "::mlir::Value":$length, "::mlir::Value":$pair), "", [{
        return ::mlir::posenc::emitConstantTurns(
            b, loc, pairs,
            [&](int64_t rotaryDim) { return $_attr.getFrequencies(rotaryDim); },
            pair);
      }]>
  ];
}

def FrequencyScalingAttrInterface : AttrInterface<"FrequencyScalingAttrInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    A rule that stretches rotary frequencies to a longer context. Its methods
    are those of `FrequenciesAttrInterface`, given the base.
  }];
  let methods = [
    InterfaceMethod<[{
      The scaled frequencies in radians a position, one a pair, in float64:
      `rotaryDim / 2` of them, of a rotary encoding whose unscaled frequencies
      are `getGeometricFrequencies(base, rotaryDim)`. A rule may change the base
      (NTK) or treat pairs by their number (YaRN, proportional). Those of a short
      sequence where they depend on its length.
    }], "::llvm::SmallVector<double>", "getFrequencies",
      (ins "double":$base, "int64_t":$rotaryDim)>,
    InterfaceMethod<"The factor that multiplies every cosine and sine.",
      "double", "getAttentionFactor", (ins), "", "return 1.0;">,
    InterfaceMethod<"Verifies that `rotaryDim` lanes can be scaled so.",
      "::llvm::LogicalResult", "verifyRotaryDim",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "double":$base, "int64_t":$rotaryDim), "", "return ::mlir::success();">,
    InterfaceMethod<"Whether the frequencies depend on the length of a call.",
      "bool", "dependsOnLength", (ins), "", "return false;">,
    InterfaceMethod<"Emits the frequency of pair `pair`, as FrequenciesAttrInterface.",
      "std::pair<::mlir::Value, ::mlir::Value>", "emitTurns",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc, "double":$base,
           "::llvm::ArrayRef<::mlir::posenc::PairFrequency>":$pairs,
           "::mlir::Value":$length, "::mlir::Value":$pair), "", [{
        return ::mlir::posenc::emitConstantTurns(
            b, loc, pairs,
            [&](int64_t rotaryDim) { return $_attr.getFrequencies(base, rotaryDim); },
            pair);
      }]>
  ];
}

def ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::mlir::posenc";
  let description = [{
    How a target's kernel works through one attention: which kernel, tiles and
    splits. Written by Plan, or by the user, whose choice Plan keeps. What it
    says is between the target's model and its code generator.
  }];
}

#endif // POSENC_INTERFACES

//===- PosEncAttrs.cpp - Attributes and their syntax ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Angles.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Syntax of real numbers: `10000.0`, not `1.0e4 : f64`
//===----------------------------------------------------------------------===//

/// Prints the shortest decimal that reads back as the same float64.
static void printReal(AsmPrinter &printer, double value) {
  SmallString<24> text;
  llvm::APFloat(value).toString(text, /*FormatPrecision=*/0,
                                /*FormatMaxPadding=*/20);
  // The lexer takes a number without a point for an integer.
  StringRef digits(text);
  if (!digits.contains('.')) {
    auto [mantissa, exponent] = digits.split('E');
    printer << mantissa << ".0";
    if (!exponent.empty())
      printer << "E" << exponent;
    return;
  }
  printer << text;
}

static ParseResult parseReal(AsmParser &parser, FloatAttr &real) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  real = parser.getBuilder().getF64FloatAttr(value);
  return success();
}
static void printReal(AsmPrinter &printer, FloatAttr real) {
  printReal(printer, real.getValueAsDouble());
}

static ParseResult parseReals(AsmParser &parser, DenseF64ArrayAttr &reals) {
  SmallVector<double> values;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            return parser.parseFloat(values.emplace_back());
          }))
    return failure();
  reals = parser.getBuilder().getDenseF64ArrayAttr(values);
  return success();
}
static void printReals(AsmPrinter &printer, DenseF64ArrayAttr reals) {
  printer << "[";
  llvm::interleaveComma(reals.asArrayRef(), printer.getStream(),
                        [&](double real) { printReal(printer, real); });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// Syntax of optional reals: `, mscale = 1.0, mscale_all_dim = 1.0`
//===----------------------------------------------------------------------===//

namespace {
struct NamedReal {
  StringRef name;
  FloatAttr &real;
};
} // namespace

static ParseResult parseOptionalReals(AsmParser &parser,
                                      ArrayRef<NamedReal> known) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    const auto *found = llvm::find_if(
        known, [&](const NamedReal &named) { return named.name == name; });
    if (found == known.end() || found->real)
      return parser.emitError(loc)
             << "'" << name << "' is no parameter, or given twice";
    if (parser.parseEqual() || parseReal(parser, found->real))
      return failure();
  }
  return success();
}
static void printOptionalReals(AsmPrinter &printer, ArrayRef<NamedReal> known) {
  for (const NamedReal &named : known)
    if (named.real) {
      printer << ", " << named.name << " = ";
      printReal(printer, named.real);
    }
}

static ParseResult parseYarnFactors(AsmParser &parser, FloatAttr &attention,
                                    FloatAttr &mscale, FloatAttr &allDim) {
  return parseOptionalReals(parser, {{"attention_factor", attention},
                                     {"mscale", mscale},
                                     {"mscale_all_dim", allDim}});
}
static void printYarnFactors(AsmPrinter &printer, FloatAttr attention,
                             FloatAttr mscale, FloatAttr allDim) {
  printOptionalReals(printer, {{"attention_factor", attention},
                               {"mscale", mscale},
                               {"mscale_all_dim", allDim}});
}

static ParseResult parseLongropeFactors(AsmParser &parser, FloatAttr &factor,
                                        FloatAttr &attention) {
  return parseOptionalReals(
      parser, {{"factor", factor}, {"attention_factor", attention}});
}
static void printLongropeFactors(AsmPrinter &printer, FloatAttr factor,
                                 FloatAttr attention) {
  printOptionalReals(printer,
                     {{"factor", factor}, {"attention_factor", attention}});
}

#include "posenc/Dialect/PosEnc/IR/PosEncEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "posenc/Dialect/PosEnc/IR/PosEncAttrs.cpp.inc"

void PosEncDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "posenc/Dialect/PosEnc/IR/PosEncAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #posenc.lanes
//===----------------------------------------------------------------------===//

LogicalResult LanesAttr::verify(EmitError emitError, Pairing, int64_t first,
                                int64_t count) {
  if (first < 0) // C1
    return emitError() << "'first' is " << first << "; it must not be negative";
  if (count <= 0 || count % 2) // C2
    return emitError() << "'count' is " << count
                       << "; lanes rotate in pairs, so it must be positive "
                          "and even";
  return success();
}

std::pair<int64_t, int64_t> LanesAttr::getPair(int64_t pair) const {
  if (getPairing() == Pairing::Half)
    return {getFirst() + pair, getFirst() + getNumPairs() + pair};
  return {getFirst() + 2 * pair, getFirst() + 2 * pair + 1};
}

//===----------------------------------------------------------------------===//
// #posenc.sections
//===----------------------------------------------------------------------===//

LogicalResult SectionsAttr::verify(EmitError emitError, SectionOrder order,
                                   ArrayRef<int64_t> pairs,
                                   SectionFrequencies frequencies) {
  int64_t sum = 0;
  bool overflows = false;
  for (int64_t count : pairs)
    overflows |= count < 0 || llvm::AddOverflow(sum, count, sum);
  if (overflows || sum == 0) // C1
    return emitError()
           << "expected a number of pairs of each axis, none negative, "
              "and at least one pair";
  if (order == SectionOrder::Interleaved &&
      frequencies != SectionFrequencies::Ordinary) // C2
    return emitError()
           << "'interleaved' sections take their frequencies in the "
              "'ordinary' order";
  if (frequencies == SectionFrequencies::Strided &&
      !llvm::all_equal(pairs)) // C3
    return emitError()
           << "'strided' frequencies are for axes of equally many pairs";
  return success();
}

int64_t SectionsAttr::getNumPairs() const {
  return llvm::sum_of(getPairs(), int64_t(0));
}

int64_t SectionsAttr::getAxis(int64_t pair) const {
  if (getOrder() == SectionOrder::Interleaved) {
    int64_t axis = pair % getNumAxes();
    return pair < getNumAxes() * getPairs()[axis] ? axis : 0;
  }
  int64_t axis = 0;
  for (; pair >= getPairs()[axis]; ++axis)
    pair -= getPairs()[axis];
  return axis;
}

PairFrequency SectionsAttr::getFrequency(int64_t pair) const {
  if (getFrequencies() == SectionFrequencies::Ordinary)
    return {2 * getNumPairs(), pair};
  int64_t axis = getAxis(pair);
  int64_t inAxis = pair - llvm::sum_of(getPairs().take_front(axis), int64_t(0));
  if (getFrequencies() == SectionFrequencies::Restarting)
    return {2 * getPairs()[axis], inAxis};
  return {2 * getNumPairs(), getNumAxes() * inAxis + axis};
}

//===----------------------------------------------------------------------===//
// #posenc.xpos
//===----------------------------------------------------------------------===//

LogicalResult XposAttr::verify(EmitError emitError, Role, FloatAttr scaleBase) {
  return verifyPositive(emitError, "scale_base", scaleBase); // C1
}

//===- PosEncAttrs.cpp - Attributes and their syntax ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

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

#include "posenc/Dialect/PosEnc/IR/PosEncEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "posenc/Dialect/PosEnc/IR/PosEncAttrs.cpp.inc"

void PosEncDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "posenc/Dialect/PosEnc/IR/PosEncAttrs.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;

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

//===- Remarks.cpp - What passes say of what they did ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/Remarks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"

using namespace mlir;
using namespace mlir::posenc;

/// How a remark of `pass` at `op` is filed.
static remark::RemarkOpts getOptions(Operation *op, StringRef pass) {
  auto options = remark::RemarkOpts::name(pass).category(kRemarkCategory);
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? options.function(function.getName()) : options;
}

remark::detail::InFlightRemark posenc::remarkDone(Operation *op,
                                                  StringRef pass) {
  return remark::passed(op->getLoc(), getOptions(op, pass));
}

remark::detail::InFlightRemark posenc::remarkMissed(Operation *op,
                                                    StringRef pass) {
  return remark::missed(op->getLoc(), getOptions(op, pass));
}

std::string posenc::getPlace(Location location) {
  FileLineColLoc file;
  NameLoc name;
  location->walk([&](Location inner) {
    if (!file)
      file = dyn_cast<FileLineColLoc>(inner);
    if (!name)
      name = dyn_cast<NameLoc>(inner);
    return WalkResult::advance();
  });
  if (file)
    return llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                         file.getLine(), file.getColumn());
  return name ? ("node '" + name.getName().getValue() + "'").str() : "";
}

std::string posenc::nameWithPlace(Operation *op) {
  std::string place = getPlace(op->getLoc());
  return ("'" + op->getName().getStringRef() + "'" +
          (place.empty() ? "" : " at " + place))
      .str();
}

std::string posenc::nameOf(Value value) {
  if (Operation *producer = value.getDefiningOp())
    return nameWithPlace(producer);
  auto argument = cast<BlockArgument>(value);
  unsigned number = argument.getArgNumber();
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto name = function
                  ? function.getArgAttrOfType<StringAttr>(number, kNameAttr)
                  : StringAttr();
  return name ? ("the argument '" + name.getValue() + "'").str()
              : llvm::formatv("argument {0}", number);
}

std::string posenc::getParameters(Operation *op) {
  constexpr size_t longest = 200;
  std::string all;
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    if (attribute.getName() == "operandSegmentSizes")
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << attribute.getName().getValue();
    if (!isa<UnitAttr>(attribute.getValue()))
      os << " = " << attribute.getValue();
    if (text.size() > longest)
      text = (attribute.getName().getValue() + " = ...").str();
    all += (all.empty() ? " {" : ", ") + text;
  }
  return all.empty() ? all : all + "}";
}

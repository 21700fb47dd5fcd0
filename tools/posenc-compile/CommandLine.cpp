//===- CommandLine.cpp - Options of posenc-compile ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads Options.td's options into CompileOptions.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::posenc;
using llvm::StringRef;

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

using namespace llvm::opt;
constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

struct PosencOptTable : GenericOptTable {
  PosencOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, infoTable) {}
};

} // namespace

void mlir::posenc::printHelp() {
  PosencOptTable().printHelp(llvm::outs(),
                             "posenc-compile [options] <graph.mlir>",
                             "compiles an attention graph to native code");
}

/// The output's path where none was given: the input's name in this folder.
static std::string defaultOutput(StringRef input, bool isText) {
  if (input == "-" || isText)
    return "-";
  llvm::SmallString<128> path = llvm::sys::path::filename(input);
  llvm::sys::path::replace_extension(path, "so");
  return path.str().str();
}

static bool isYAML(StringRef path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

/// What ends after a phase is text, whatever else the output is to be.
static llvm::Error checkText(const InputArgList &arguments,
                             const CommandLine &line) {
  if (!arguments.hasArg(OPT_to))
    return llvm::Error::success();
  StringRef to = arguments.getLastArgValue(OPT_to);
  StringRef emit = arguments.getLastArgValue(OPT_emit, "mlir");
  if (emit != "mlir")
    return llvm::createStringError("--to=" + to + " writes MLIR text, --emit=" +
                                   emit + " another kind; give one of them");
  StringRef suffix = llvm::sys::path::extension(line.output);
  if (suffix.empty() || suffix == ".mlir")
    return llvm::Error::success();
  return llvm::createStringError("--to=" + to + " writes MLIR text, but -o " +
                                 line.output + " ends in " + suffix +
                                 "; name a file in .mlir");
}

static llvm::Error readOptions(const InputArgList &arguments,
                               CommandLine &line) {
  CompileOptions &options = line.options;
  bool hasSuffix = llvm::sys::path::has_extension(line.output);
  if (!arguments.hasArg(OPT_to, OPT_emit) && hasSuffix)
    if (llvm::Error error = setOption(options, "output", line.output))
      return error;
  for (const Arg *argument : arguments.filtered(OPT_named))
    if (llvm::Error error =
            setOption(options, argument->getOption().getName().drop_back(),
                      argument->getValue()))
      return error;
  if (llvm::Error error = checkText(arguments, line))
    return error;
  options.fuse = !arguments.hasArg(OPT_no_fuse);
  options.keepIR = !line.dumpDir.empty();
  options.keepWeights = arguments.hasArg(OPT_dump_weights);
  options.genericIR = arguments.hasArg(OPT_dump_generic);
  if (!line.remarks.empty())
    options.remarks =
        isYAML(line.remarks) ? RemarkFormat::YAML : RemarkFormat::Text;
  options.libraryName = llvm::sys::path::filename(line.output).str();
  return llvm::Error::success();
}

llvm::Expected<CommandLine>
mlir::posenc::parseCommandLine(ArrayRef<const char *> arguments) {
  PosencOptTable table;
  unsigned missingIndex, missingCount;
  InputArgList parsed = table.ParseArgs(arguments, missingIndex, missingCount);
  CommandLine line;
  line.help = parsed.hasArg(OPT_help);
  line.version = parsed.hasArg(OPT_version);
  if (line.help || line.version)
    return line;
  if (missingCount)
    return llvm::createStringError(
        "option '" + StringRef(parsed.getArgString(missingIndex)) +
        "' needs a value");
  for (const Arg *unknown : parsed.filtered(OPT_UNKNOWN)) {
    std::string nearest, text = unknown->getAsString(parsed);
    bool isNear = table.findNearest(text, nearest) < 2;
    return llvm::createStringError(
        "unknown option '" + text +
        "': " + (isNear ? "did you mean '" + nearest + "'?" : "see --help"));
  }
  std::vector<std::string> inputs = parsed.getAllArgValues(OPT_INPUT);
  if (inputs.size() != 1)
    return llvm::createStringError("give one input file, not " +
                                   llvm::Twine(inputs.size()));
  line.input = inputs.front();
  line.output = parsed.getLastArgValue(OPT_output).str();
  if (line.output.empty())
    line.output = defaultOutput(line.input, parsed.hasArg(OPT_to));
  line.dumpDir = parsed.getLastArgValue(OPT_dump_dir).str();
  line.remarks = parsed.getLastArgValue(OPT_remarks_file).str();
  if (parsed.hasArg(OPT_remarks))
    line.remarks = "-";
  line.timePhases = parsed.hasArg(OPT_time_phases);
  if (llvm::Error error = readOptions(parsed, line))
    return error;
  return line;
}

//===- Options.td - The options of posenc-compile ---------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An option table of its own: LLVM's libraries have claimed names such as
// --threads in the global one of llvm/Support/CommandLine.h.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

class Flag_<string name, string help>
    : Option<["--", "-"], name, KIND_FLAG>, HelpText<help>;
class Value_<string name, string values, string help>
    : Option<["--", "-"], name # "=", KIND_JOINED>, HelpText<help>, MetaVarName<values>;

def help : Flag_<"help", "print this">;
def version : Flag_<"version", "print the version">;
def output : Option<["-"], "o", KIND_JOINED_OR_SEPARATE>, MetaVarName<"<file>">,
    HelpText<"output; its suffix says what: .so .a .o .s .ll .mlir (default: the input's name with .so)">;

// Passed on by name: posenc::setOption knows their values.
def named : OptionGroup<"named">;
let Group = named in {
def target : Value_<"target", "<target>", "cpu (default); cuda is not there yet">;
def arch : Value_<"arch", "<arch>", "sm_80, sm_90a: not there yet">;
def cpu : Value_<"cpu", "<cpu>[,<cpu>...]",
    "native (default; for planned IR what it is planned for), x86-64-v3, x86-64-v4, sapphirerapids, generic-aarch64; the library runs the best that fits">;
def threads : Value_<"threads", "<kind>", "what runs parallel work: pool, threads of the library's own (default); host, the calling program's, by a function it sets; serial, the calling thread alone; openmp. How many: POSENC_NUM_THREADS where the library runs">;
def emit : Value_<"emit", "<kind>", "so, a, o, s, ll, mlir (default: by the output's suffix)">;
def function : Value_<"function", "<name>", "compile this function of the module alone (default: all public ones)">;
def to : Value_<"to", "<phase>", "stop after import, simplify, fuse, plan or codegen and write the IR">;
}

def dump_dir : Value_<"dump-dir", "<folder>", "write the IR after each phase, one numbered file each; large constants are left out">;
def dump_weights : Flag_<"dump-weights", "write large constants to --dump-dir, too">;
def dump_generic : Flag_<"dump-generic", "write the IR after each phase in MLIR's generic form">;
def remarks : Flag_<"remarks", "say on standard error what was fused and what was not, and why">;
def remarks_file : Value_<"remarks", "<file>", "say what was fused and what was not, and why, in a file: as text, or as YAML by the suffix .yaml">;
def no_fuse : Flag_<"no-fuse", "leave encodings outside of attention">;
def time_phases : Flag_<"time-phases", "print the seconds of each phase">;

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: tests mirror lib by phase, see docs/testing.md."""

import os
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "posenc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".c", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.posenc_build_dir, "test")
config.excludes = ["lib", "data", "python", "CMakeLists.txt", "lit.cfg.py"]

llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope --dump-input=fail")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", os.path.join(config.posenc_build_dir, "bin"), append_path=True)
if config.sanitizers:
    config.available_features.add("sanitizer")
    # LLVM's allocator poisons memory in inline code only, which posenc compiles and libLLVM does
    # not.
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"
config.substitutions.append(("%clang", config.c_compiler))
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%source_dir", config.posenc_source_dir))
config.substitutions.append(("%build_dir", config.posenc_build_dir))
config.substitutions.append(
    ("%llvm_lib_dir", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib"))
)
# A test may DEFINE a command in terms of parameters that it sets before each RUN.
config.recursiveExpansionLimit = 3

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where LLVM IR allocates on the stack anywhere but in an entry block, or a
run-time amount: then the stack would grow with a sequence's length."""

from __future__ import annotations

import re
import sys

function, blocks = "", 0
for line in open(sys.argv[1]):
    if line.startswith("define"):
        function, blocks = line.split("@")[1].split("(")[0], 0
    elif re.match(r"[\w.]+:", line):
        blocks += 1
    elif " alloca " in line:
        assert blocks == 0, f"{function}: not in the entry block: {line}"
        assert not re.search(r", i\d+ %", line), f"{function}: of run-time size: {line}"

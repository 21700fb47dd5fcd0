# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds from starting posenc-compile to a finished library, whole process."""

import functools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from kernels import Attention
from timing import seconds

BUILD = pathlib.Path(
    os.environ.get("POSENC_BUILD_DIR", pathlib.Path(__file__).resolve().parent.parent / "build")
)
CASES = [
    Attention(64),
    Attention(64, ("causal", "alibi")),
    Attention(128, ("causal", "rotary")),
]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            graph = pathlib.Path(folder, "attention.mlir")
            graph.write_text(case.mlir())
            command = [BUILD / "bin" / "posenc-compile", graph, "-o", graph.with_suffix(".so")]
            run = functools.partial(subprocess.run, command, check=True)
            times = [seconds(run) for _ in range(7)]
            print(
                f"{case.name:22} median {statistics.median(times):.2f} s, best {min(times):.2f} s"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

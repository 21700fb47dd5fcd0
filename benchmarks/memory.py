# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resident memory of one long attention: L=131,072, one head of 64, causal, rotary.

The library is compiled by another process, as it would be in deployment; the one that is measured
loads and calls it. Queries, keys, values and the output alone are 134 MB.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from kernels import Attention

LENGTH = 131072
LIMIT_MB = 350


def measure(library: str, length: int) -> None:
    """Runs the library in this process; prints its peak resident memory in MB and the seconds."""
    import numpy as np

    import posenc

    compiled = posenc.load(library)
    random = np.random.default_rng(7)
    arrays = [random.standard_normal((1, 1, length, 64), dtype=np.float32) for _ in range(3)]
    begin = time.perf_counter()
    compiled(*arrays)
    seconds = time.perf_counter() - begin
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, seconds)


def main() -> int:
    case = Attention(64, ("causal", "rotary"), query_heads=1, key_heads=1)
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder, "attention.mlir")
        graph.write_text(case.mlir())
        library = graph.with_suffix(".so")
        subprocess.run(
            [sys.executable, "-m", "posenc", "compile", str(graph), "-o", str(library)], check=True
        )
        output = subprocess.run(
            [sys.executable, __file__, str(library), str(LENGTH)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    megabytes, seconds = map(float, output.split())
    print(
        f"L={LENGTH}, one head of 64, causal, rotary: {megabytes:.0f} MB resident "
        f"(limit {LIMIT_MB}), {seconds:.1f} s"
    )
    return 0 if megabytes < LIMIT_MB else 1


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(main())

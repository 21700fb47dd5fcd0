# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an encoding costs: causal attention with it against the same without, on one thread.

Prints one line a cell: milliseconds with the encoding, and the median ratio to those without.
"""

import argparse
import os
import sys

os.environ["OMP_NUM_THREADS"] = os.environ["POSENC_NUM_THREADS"] = "1"

import numpy as np
from kernels import Attention
from timing import compare

import posenc

#: Each with the largest ratio that is asked for, by head size.
LIMITS = {
    "alibi": {64: 1.18, 128: 1.10},
    "t5": {64: 1.15, 128: 1.15},
    "window": {64: 1.18, 128: 1.10},
    "soft_cap": {64: 1.18, 128: 1.10},
    "documents": {64: 1.18, 128: 1.10},
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--head-sizes", type=int, nargs="+", default=[64, 128])
    parser.add_argument("--budget", type=float, default=4.0, help="seconds a cell")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for head_size in arguments.head_sizes:
        plain = posenc.compile(Attention(head_size, ("causal",)).mlir())
        random = np.random.default_rng(7)
        shape = (1, 8, arguments.length, head_size)
        arrays = [random.standard_normal(shape).astype(np.float32) for _ in range(3)]
        for encoding, limits in LIMITS.items():
            case = Attention(head_size, ("causal", encoding))
            compiled = posenc.compile(case.mlir())
            given = [*arrays, *case.extra_arrays(arguments.length)]
            result = compare(
                lambda: compiled(*given), lambda: plain(*arrays), budget=arguments.budget
            )
            print(
                f"{case.name:22} L={arguments.length} {1e3 * result.ours:8.2f} ms, "
                f"{1 / result.ratio:.2f} of causal alone (at most {limits[head_size]:.2f})",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

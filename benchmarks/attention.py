# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times posenc's attention against PyTorch's on one thread: `make bench`.

Prints one line a cell: milliseconds of both sides and the ratio (above one: posenc is faster).
A cell counts only if both sides computed the same. Without PyTorch (`make bench-peers` installs
it) only posenc's own times are printed.
"""

import argparse
import json
import os
import pathlib
import sys

os.environ["OMP_NUM_THREADS"] = os.environ["POSENC_NUM_THREADS"] = "1"

import numpy as np
from kernels import Attention
from timing import compare, seconds

import posenc

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

#: Largest difference between the two sides' outputs, relative to the largest output.
AGREEMENT = 2e-5


def rotate(x: "torch.Tensor") -> "torch.Tensor":
    """Rotary embedding in halves, as model code writes it: angles, cosines and all."""
    length, size = x.shape[-2:]
    frequencies = 10000.0 ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(torch.arange(length, dtype=x.dtype), frequencies)
    cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


def peer(case: Attention, query, key, value):
    """The same computation by PyTorch's scaled_dot_product_attention."""
    if "rotary" in case.features:
        query, key = rotate(query), rotate(key)
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal="causal" in case.features
    )


def run_cell(case: Attention, length: int, compiled, budget: float) -> dict:
    random = np.random.default_rng(7)
    shape = (1, case.query_heads, length, case.head_size)
    arrays = [random.standard_normal(shape).astype(np.float32) for _ in range(3)]
    cell = {"case": case.name, "length": length}
    if torch is None:
        compiled(*arrays)
        cell["ours_ms"] = 1e3 * min(seconds(lambda: compiled(*arrays)) for _ in range(7))
        return cell
    tensors = [torch.from_numpy(array) for array in arrays]
    # Angles of far positions are not exact in the peer's f32: what to agree on is its float64.
    expected = peer(case, *(tensor.double() for tensor in tensors)).numpy()
    difference = np.abs(np.asarray(compiled(*arrays)) - expected).max() / np.abs(expected).max()
    if not difference <= AGREEMENT:
        raise SystemExit(f"{case.name}, L={length}: the two sides differ by {difference:.2e}")
    result = compare(lambda: compiled(*arrays), lambda: peer(case, *tensors), budget)
    cell.update(ours_ms=1e3 * result.ours, torch_ms=1e3 * result.theirs, ratio=result.ratio)
    return cell


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096])
    parser.add_argument("--head-sizes", type=int, nargs="+", default=[64, 128])
    parser.add_argument("--budget", type=float, default=2.0, help="seconds a cell")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here, too")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cells = []
    for head_size in arguments.head_sizes:
        for causal in ((), ("causal",)):
            for rotary in ((), ("rotary",)):
                case = Attention(head_size, causal + rotary)
                compiled = posenc.compile(case.mlir())
                for length in arguments.lengths:
                    cell = run_cell(case, length, compiled, arguments.budget)
                    cells.append(cell)
                    theirs = (
                        f"  torch {cell['torch_ms']:8.2f} ms  ratio {cell['ratio']:.2f}"
                        if torch
                        else ""
                    )
                    print(
                        f"{case.name:22} L={length:<5} posenc {cell['ours_ms']:8.2f} ms{theirs}",
                        flush=True,
                    )
    if arguments.json:
        arguments.json.write_text(json.dumps(cells, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

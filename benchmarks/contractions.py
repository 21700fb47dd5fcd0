# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times posenc's matrix products against PyTorch's, with all cores: `make bench`.

Prints one line a cell: milliseconds of both sides and the ratio (above one: posenc is faster).
A cell counts only if both sides computed the same. Without PyTorch (`make bench-peers` installs
it) only posenc's own times are printed.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys

import ml_dtypes
import numpy as np
from timing import compare, seconds

import posenc

try:
    import torch
except ImportError:
    torch = None

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
#: Largest difference of an element from the peer's, relative to the largest element: both sides
#: round to the storage type, and sum in f32 in an order of their own.
AGREEMENT = {"f32": 1e-5, "f16": 2**-10, "bf16": 2**-7}


@dataclasses.dataclass(frozen=True)
class Product:
    """`x @ w`, or `gelu(x @ w + bias)`; the compiled code takes any number of rows.

    x is [rows, depth]; w is [depth, columns], or [columns, depth] where `transposed`, as linear
    layers keep their weight. Sums are in f32 whatever the storage.
    """

    rows: int
    columns: int
    depth: int
    storage: str = "f32"
    transposed: bool = False
    gelu: bool = False

    @property
    def name(self) -> str:
        size = f"{self.rows}x{self.columns}x{self.depth} {self.storage}"
        return size + " transposed" * self.transposed + " bias gelu" * self.gelu

    def mlir(self) -> str:
        """A module with `product(x, w, bias) -> output`; `bias` is read where there is a gelu."""
        element, columns = self.storage, self.columns
        x, out = f"tensor<?x{self.depth}x{element}>", f"tensor<?x{columns}x{element}>"
        shape = (columns, self.depth) if self.transposed else (self.depth, columns)
        w, bias = f"tensor<{shape[0]}x{shape[1]}x{element}>", f"tensor<{columns}x{element}>"
        sums = f"tensor<?x{columns}xf32>"
        weight = "n, k" if self.transposed else "k, n"
        widen = "" if element == "f32" else f"""
      %x32 = arith.extf %x : {element} to f32
      %w32 = arith.extf %w : {element} to f32"""
        wide = "" if element == "f32" else "32"
        return f"""
func.func @product(%input: {x}, %weight: {w}, %bias: {bias}) -> {out} {{
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %rows = tensor.dim %input, %c0 : {x}
    %empty = tensor.empty(%rows) : {sums}
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : {sums}) -> {sums}
    %sums = linalg.generic {{
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ({weight})>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}}
        ins(%input, %weight : {x}, {w}) outs(%zeros : {sums}) {{
    ^bb0(%x: {element}, %w: {element}, %sum: f32):{widen}
      %product = arith.mulf %x{wide}, %w{wide} : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    }} -> {sums}
    {self._epilogue(sums, bias, out)}
}}
"""

    def _epilogue(self, sums: str, bias: str, out: str) -> str:
        if self.storage == "f32" and not self.gelu:
            return f"return %sums : {sums}"
        body = ["%0 = arith.addf %sum, %zero : f32"]
        if self.gelu:
            wide = "%b" if self.storage == "f32" else "%b32"
            body = [] if self.storage == "f32" else [f"%b32 = arith.extf %b : {self.storage} to f32"]
            body += [
                f"%biased = arith.addf %sum, {wide} : f32",
                f"%root = arith.constant {0.5**0.5!r} : f32",
                "%half = arith.constant 0.5 : f32",
                "%one = arith.constant 1.0 : f32",
                "%scaled = arith.mulf %biased, %root : f32",
                "%erf = math.erf %scaled : f32",
                "%gate = arith.addf %erf, %one : f32",
                "%part = arith.mulf %biased, %half : f32",
                "%0 = arith.mulf %part, %gate : f32",
            ]
        if self.storage != "f32":
            body.append(f"%rounded = arith.truncf %0 : f32 to {self.storage}")
        result = "%0" if self.storage == "f32" else "%rounded"
        lines = "\n      ".join(body)
        return f"""%init = tensor.empty(%rows) : {out}
    %output = linalg.generic {{
        indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                         affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]}}
        ins(%sums, %bias : {sums}, {bias}) outs(%init : {out}) {{
    ^bb0(%sum: f32, %b: {self.storage}, %old: {self.storage}):
      {lines}
      linalg.yield {result} : {self.storage}
    }} -> {out}
    return %output : {out}"""

    def draw(self) -> list[np.ndarray]:
        """x, w and bias, normally distributed."""
        random = np.random.default_rng(7)
        shape = (self.columns, self.depth) if self.transposed else (self.depth, self.columns)
        return [
            random.standard_normal(size, np.float32).astype(NUMPY[self.storage])
            for size in ((self.rows, self.depth), shape, (self.columns,))
        ]


def to_torch(array: np.ndarray) -> "torch.Tensor":
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def peer(case: Product, x, w, bias):
    """The same computation by PyTorch."""
    if not case.gelu:
        return torch.mm(x, w.T if case.transposed else w)
    return torch.nn.functional.gelu(torch.addmm(bias, x, w.T if case.transposed else w))


def run_cell(case: Product, budget: float) -> dict:
    compiled = posenc.compile(case.mlir())
    arrays = case.draw()
    cell = {"case": case.name}
    if torch is None:
        compiled(*arrays)
        cell["ours_ms"] = 1e3 * min(seconds(lambda: compiled(*arrays)) for _ in range(7))
        return cell
    tensors = [to_torch(array) for array in arrays]
    ours = np.asarray(compiled(*arrays)).astype(np.float32)
    theirs = peer(case, *tensors).float().numpy()
    difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
    if not difference <= AGREEMENT[case.storage]:
        raise SystemExit(f"{case.name}: the two sides differ by {difference:.2e}")
    result = compare(lambda: compiled(*arrays), lambda: peer(case, *tensors), budget)
    cell.update(ours_ms=1e3 * result.ours, torch_ms=1e3 * result.theirs, ratio=result.ratio)
    return cell


def cases() -> list[Product]:
    squares = [Product(size, size, size) for size in (512, 1024, 2048)]
    layers = [Product(512, 4096, 1024, gelu=True), Product(512, 1024, 4096, transposed=True)]
    rows = [Product(1, 4096, 4096), Product(1, 4096, 4096, transposed=True), Product(4, 4096, 4096)]
    halves = [Product(256, 256, 256, "f16"), Product(2048, 2048, 2048, "bf16")]
    return squares + layers + rows + halves + [Product(1, 4096, 4096, "bf16", transposed=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=2.0, help="seconds a cell")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here, too")
    arguments = parser.parse_args()
    threads = len(os.sched_getaffinity(0))
    if torch:
        torch.set_num_threads(threads)
    cells = []
    for case in cases():
        cell = run_cell(case, arguments.budget)
        cells.append(cell)
        theirs = f"  torch {cell['torch_ms']:8.2f} ms  ratio {cell['ratio']:.2f}" if torch else ""
        print(f"{case.name:34} posenc {cell['ours_ms']:8.2f} ms{theirs}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(cells, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of one posenc.attention, and what running them gives.

Errors are relative to the largest |v|, an upper bound of the row's sum of p |v|.
"""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np

from stock_lowering import Executable
from tools import NUMPY

# Storage rounds its inputs before the reference sees them, then the result once.
TOLERANCE = {"f32": 2e-6, "f16": 2**-10, "bf16": 2**-7}
CAUSAL = """mask(%b, %h, %i, %j) {
        %visible = arith.cmpi sle, %j, %i : index
        posenc.yield %visible : i1
      }"""


@dataclasses.dataclass(frozen=True)
class Shape:
    """Sizes of one attention; layouts of query, key, value, output."""

    batch: int = 2
    query_heads: int = 4
    key_heads: int = 2
    rows: int = 3
    keys: int = 5
    width: int = 8
    value_width: int = 6
    layouts: tuple[str, str, str, str] = ("bhld",) * 4

    def axes(self, operand: int) -> tuple[int, int, int, int]:
        """The extents b, h, l, d of query, key, value, output."""
        return (
            self.batch,
            self.key_heads if operand in (1, 2) else self.query_heads,
            self.keys if operand in (1, 2) else self.rows,
            self.value_width if operand >= 2 else self.width,
        )

    def type(self, operand: int, element: str, dynamic: bool = False) -> str:
        extents: list[object] = list(self.axes(operand))
        if dynamic:
            extents[:3] = "???"
        if self.layouts[operand] == "blhd":
            extents[1], extents[2] = extents[2], extents[1]
        return f"tensor<{'x'.join(map(str, extents))}x{element}>"


def stored(array: np.ndarray, layout: str) -> np.ndarray:
    """A [b, h, l, d] array in the axis order of its operand."""
    return array if layout == "bhld" else array.swapaxes(1, 2)


def module(
    shape: Shape,
    element: str = "f32",
    *,
    extra_arguments: str = "",
    clauses: str = "",
    lanes: str = "",
    regions: str = "",
    logsumexp: bool = False,
    dynamic: bool = False,
) -> str:
    """A module whose @main(q, k, v, init, extra...) is one attention of scale 0.5."""
    q, k, v, o = (shape.type(operand, element, dynamic) for operand in range(4))
    dims = (shape.batch, shape.query_heads, shape.rows)
    lse = f"tensor<{'x'.join('?' if dynamic else str(d) for d in dims)}xf32>"
    results = f"{o}, {lse}" if logsumexp else o
    return f"""
    func.func @main(%q: {q}, %k: {k}, %v: {v}, %init: {o}, %lse: {lse}{extra_arguments})
        -> ({results}) {{
      %scale = arith.constant 0.5 : f32
      %r{":2" if logsumexp else ""} = posenc.attention query(%q : {q}) key(%k : {k}) value(%v : {v})
      scale(%scale) {clauses.split("|")[0]} outs(%init : {o})
      {f"logsumexp(%lse : {lse})" if logsumexp else ""}
      layouts({", ".join(shape.layouts)}) {lanes} {clauses.split("|")[1] if "|" in clauses else ""}
      {regions} -> {results}
      return {"%r#0, %r#1" if logsumexp else "%r"} : {results}
    }}"""


def inputs(shape: Shape, element: str = "f32", seed: int = 0) -> list[np.ndarray]:
    """Query, key and value, [b, h, l, d], already rounded to storage."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape.axes(operand)).astype(NUMPY[element]) for operand in range(3)]


def run(
    text: str,
    directory: pathlib.Path,
    shape: Shape,
    qkv: list[np.ndarray],
    *extra: np.ndarray,
    element: str = "f32",
    logsumexp: bool = False,
    passes: tuple[str, ...] = (),
) -> list[np.ndarray]:
    """The module after `passes`, decomposed and run.

    The output as [b, h, l, d], and the log-sum-exp [b, h, l] if asked for.
    Destinations are not read: they start as NaN, which would show.
    """
    executable = Executable(text, [*passes, "--posenc-fuse=no-fuse"], directory)
    operands = [stored(x, layout) for x, layout in zip(qkv, shape.layouts)]
    init = stored(np.full(shape.axes(3), np.nan, NUMPY[element]), shape.layouts[3])
    lse = np.full(shape.axes(0)[:3], np.nan, np.float32)
    results = [(4, NUMPY[element])] + [(3, np.float32)] * logsumexp
    output, *rest = executable(*operands, init, lse, *extra, results=results)
    return [stored(output, shape.layouts[3]), *rest]


def check(actual: np.ndarray, expected: np.ndarray, value: np.ndarray, element="f32"):
    """Fails unless the error is within the tolerance of the storage type."""
    scale = np.max(np.abs(value[np.isfinite(value)].astype(np.float64)))
    error = np.max(np.abs(actual.astype(np.float64) - expected)) / scale
    assert error <= TOLERANCE[element]

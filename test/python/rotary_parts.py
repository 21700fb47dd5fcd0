# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary encodings as parts of a `compiled_attention.Graph`, with the oracle's own rotation."""

from __future__ import annotations

import dataclasses

import numpy as np
from compiled_attention import NUMPY, Graph, Part, Sizes, Terms, tensor

from posenc.reference import frequencies, rotary

LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position": 64}


@dataclasses.dataclass(frozen=True)
class Rotary:
    """How queries and keys turn. positions: "offset", "batch", "row" ([L]) or "cache" (cos and sin rows)."""

    lanes: str = "half"
    count: int = 16
    first: int = 0
    inverse: bool = False
    positions: str = "offset"
    scaling: str = ""
    cache: str = "f32"
    base: float = 10000.0

    def attribute(self) -> str:
        scaling = {"": "", "linear": ", scaling = #posenc.linear<factor = 4.0>",
                   "llama3": ", scaling = #posenc.llama3<factor = 8.0, low_freq_factor = 1.0, "
                             "high_freq_factor = 4.0, original_length = 64>"}[self.scaling]
        return f"frequencies(#posenc.frequencies<base = {self.base:.1f}{scaling}>)"

    def inv_freq(self) -> np.ndarray:
        if self.scaling == "linear":
            return frequencies.linear(self.count, self.base, 4.0)[0]
        if self.scaling == "llama3":
            return frequencies.llama3(self.count, self.base, **LLAMA3)[0]
        return frequencies.default(self.count, self.base)[0]


OFFSETS = {"q": 11, "k": 3}
CACHE_ROWS = 256


def rotated(how: Rotary, graph: Graph) -> Part:
    """Queries and keys turned; each side has its own positions."""
    names = ("q", "k")
    arguments: list[tuple[str, str]] = []
    body = []
    if how.positions == "cache":
        kind = tensor([CACHE_ROWS, how.count // 2], how.cache)
        arguments += [("cos", kind), ("sin", kind)]
    for operand, name in enumerate(names):
        if how.positions == "offset":
            arguments.append((f"{name}_from", "tensor<i64>"))
            body.append(f"\n  %{name}_e = tensor.extract %{name}_from[] : tensor<i64>\n"
                        f"  %{name}_offset = arith.index_cast %{name}_e : i64 to index\n")
            where = f"offset(%{name}_offset)"
        else:
            kind = "tensor<?xi64>" if how.positions == "row" else "tensor<?x?xi64>"
            arguments.append((f"{name}_positions", kind))
            where = f"positions(%{name}_positions : {kind})"
        angles = f"cos(%cos : {kind_of(how)}) sin(%sin : {kind_of(how)})" if how.positions == "cache" else ""
        frequency = "" if how.positions == "cache" else how.attribute()
        body.append(f"  %{name}r = posenc.rotary %{name} {where} {angles} "
                    f"lanes(<{how.lanes}, first = {how.first}, count = {how.count}>) {frequency} "
                    f"layout(<{graph.layouts[operand]}>) {'inverse' if how.inverse else ''} : {graph.type(operand)}\n")
    return Part(arguments=tuple(arguments), inputs=lambda rng, sizes: _inputs(how, rng, sizes), body="".join(body),
                query="%qr", key="%kr", terms=lambda sizes, *given: _terms(how, sizes, given))


def kind_of(how: Rotary) -> str:
    return tensor([CACHE_ROWS, how.count // 2], how.cache)


def _inputs(how: Rotary, rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
    lengths = {"q": sizes.rows, "k": sizes.keys}
    if how.positions == "offset":
        return [np.asarray(OFFSETS[name], np.int64) for name in lengths]
    if how.positions == "row":
        return [rng.integers(0, 5000, length) for length in lengths.values()]
    drawn = [rng.integers(0, CACHE_ROWS, (sizes.batch, length)) for length in lengths.values()]
    if how.positions == "cache":
        # No rotation at all: caches may hold any numbers.
        return [rng.uniform(-1, 1, (CACHE_ROWS, how.count // 2)).astype(NUMPY[how.cache]) for _ in range(2)] + drawn
    return drawn


def _terms(how: Rotary, sizes: Sizes, given: tuple[np.ndarray, ...]) -> Terms:
    if how.positions == "offset":
        places = [offset + np.arange(length) for offset, length in zip(given, (sizes.rows, sizes.keys))]
    else:
        places = list(given[-2:])
    side = "first" if how.first == 0 else "last"

    def turn(positions: np.ndarray):
        def rotate(x: np.ndarray) -> np.ndarray:
            if how.positions == "cache":
                cos, sin = (rotary.cache_rows(cache, positions) for cache in given[:2])
            else:
                cos, sin = rotary.cos_sin(positions, how.inv_freq())
            return rotary.rotate(x, cos, sin, lanes=how.lanes, rotary_dim=how.count, side=side, inverse=how.inverse)

        return rotate

    return Terms(turn_query=turn(places[0]), turn_key=turn(places[1]))

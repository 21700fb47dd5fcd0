# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention graphs put together from encodings, compiled and compared with float64.

    graph = Graph(parts=(CAUSAL, alibi(8)), heads=8)
    graph.check(Sizes(batch=2, rows=3, keys=7))

A graph's batch and lengths are dynamic, so that one library serves many sizes;
each text is compiled once a session.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

import posenc
from posenc.reference import attention as oracle

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64, "i32": np.int32,
         "i1": np.bool_}
# Two roundings of the storage type, relative to the row's scale A.
TOLERANCE = {"f32": 2e-6, "f16": 2**-10, "bf16": 2**-7}


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The dynamic extents of one call."""

    batch: int = 2
    rows: int = 5
    keys: int = 7

    def __str__(self) -> str:
        return f"{self.batch}x{self.rows}x{self.keys}"


def unturned(x: np.ndarray) -> np.ndarray:
    return x


@dataclasses.dataclass(frozen=True)
class Terms:
    """What an encoding adds to the float64 oracle."""

    bias: np.ndarray | None = None
    # The same of queries [b, h, i, d] and keys, as they are read.
    content: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    mask: np.ndarray | None = None
    soft_cap: float | None = None
    sinks: np.ndarray | None = None
    turn_query: Callable[[np.ndarray], np.ndarray] = unturned
    turn_key: Callable[[np.ndarray], np.ndarray] = unturned


Inputs = Callable[[np.random.Generator, Sizes], Sequence[np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Part:
    """One encoding of a graph: its text, its inputs and its oracle.

    arguments: (name, tensor type) of the function; those of `inputs`.
    body: ops before attention, which may use %batch, %rows, %keys, %q, %k.
    score: ops from `{x}`, and %b, %h, %i, %j, to `{y}`; mask: ops to `{m}`.
    query, key: what attention reads where the body turns %q, %k.
    """

    terms: Callable[..., Terms]
    arguments: tuple[tuple[str, str], ...] = ()
    inputs: Inputs = lambda rng, sizes: ()
    body: str = ""
    score: str = ""
    mask: str = ""
    clause: str = ""
    query: str = "%q"
    key: str = "%k"


@functools.lru_cache(maxsize=None)
def compiled(text: str, fuse: bool = True, cpu: str = "native") -> posenc.CompiledFunction:
    return posenc.compile(text, fuse=fuse, cpu=cpu)


def tensor(extents: Sequence[Any], element: str) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in extents)}{element}>"


def stored(array: np.ndarray, layout: str) -> np.ndarray:
    """A [b, h, l, d] array in the axis order of its operand, or back."""
    return array if layout == "bhld" else array.swapaxes(1, 2)


@dataclasses.dataclass(frozen=True)
class Graph:
    """Attention with encodings; `layouts` are those of query, key, value, output.

    static: the batch and lengths, where they are to be part of the types.
    cpu: what it is compiled for, as --cpu spells it.
    """

    parts: tuple[Part, ...] = ()
    heads: int = 4
    kv_heads: int = 2
    width: int = 16
    value_width: int = 16
    element: str = "f32"
    layouts: tuple[str, str, str, str] = ("bhld",) * 4
    scale: float | None = None
    logsumexp: bool = False
    empty_rows: str = "zero"
    static: Sizes | None = None
    cpu: str = "native"

    def factor(self) -> float:
        scale = 1 / math.sqrt(self.width) if self.scale is None else self.scale
        return float(np.float32(scale))

    def extents(self, operand: int, sizes: tuple[Any, Any, Any]) -> list[Any]:
        """The extents b, h, l, d of query, key, value, output (0 ... 3)."""
        batch, rows, keys = sizes
        is_key = operand in (1, 2)
        return [batch, self.kv_heads if is_key else self.heads, keys if is_key else rows,
                self.value_width if operand >= 2 else self.width]

    def type(self, operand: int) -> str:
        sizes = dataclasses.astuple(self.static) if self.static else ("?",) * 3
        batch, heads, length, width = self.extents(operand, sizes)
        order = [batch, heads, length, width] if self.layouts[operand] == "bhld" else [batch, length, heads, width]
        return tensor(order, self.element)

    def text(self) -> str:
        names = ["q", "k", "v"]
        arguments = []
        for operand, name in enumerate(names):
            length = "Lk" if operand else "Lq"
            symbols = f'"B", "", "{length}", ""' if self.layouts[operand] == "bhld" else f'"B", "{length}", "", ""'
            arguments.append(f'%{name}: {self.type(operand)} '
                             f'{{posenc.name = "{name}", posenc.symbols = [{symbols}]}}')
        for part in self.parts:
            arguments += [f'%{name}: {kind} {{posenc.name = "{name}"}}' for name, kind in part.arguments]
        q, k, v, o = (self.type(operand) for operand in range(4))
        rows_at, keys_at = (2 if layout == "bhld" else 1 for layout in self.layouts[:2])
        query = next((part.query for part in self.parts if part.query != "%q"), "%q")
        key = next((part.key for part in self.parts if part.key != "%k"), "%k")
        batch, rows = (self.static.batch, self.static.rows) if self.static else "??"
        dynamic = "" if self.static else "%batch, %rows"
        lse = tensor([batch, self.heads, rows], "f32")
        types = f"{o}, {lse}" if self.logsumexp else o
        results = f'{o} {{posenc.name = "output"}}' + (f', {lse} {{posenc.name = "lse"}}' if self.logsumexp else "")
        return f"""
func.func @attention({(', ').join(arguments)}) -> ({results}) {{
  %c0 = arith.constant 0 : index
  %rows_at = arith.constant {rows_at} : index
  %keys_at = arith.constant {keys_at} : index
  %scale = arith.constant {self.factor():.9e} : f32
  %batch = tensor.dim %q, %c0 : {q}
  %rows = tensor.dim %q, %rows_at : {q}
  %keys = tensor.dim %k, %keys_at : {k}
  %init = tensor.empty({dynamic}) : {o}
  {f"%lse = tensor.empty({dynamic}) : {lse}" if self.logsumexp else ""}
  {"".join(part.body for part in self.parts)}
  %r{":2" if self.logsumexp else ""} = posenc.attention query({query} : {q}) key({key} : {k}) value(%v : {v}) scale(%scale)
      {"".join(part.clause for part in self.parts)} outs(%init : {o}) {f"logsumexp(%lse : {lse})" if self.logsumexp else ""}
      layouts({", ".join(self.layouts)}) empty_rows(<{self.empty_rows}>) {self._regions()} -> {types}
  return {"%r#0, %r#1" if self.logsumexp else "%r"} : {types}
}}"""

    def _regions(self) -> str:
        steps, x = [], "%x"
        for number, part in enumerate(part for part in self.parts if part.score):
            steps.append(part.score.format(x=x, y=f"%y{number}"))
            x = f"%y{number}"
        score = f"score(%x, %b, %h, %i, %j) {{ {''.join(steps)} posenc.yield {x} : f32 }} " if steps else ""
        steps, m = [], None
        for number, part in enumerate(part for part in self.parts if part.mask):
            steps.append(part.mask.format(m=f"%m{number}"))
            if m is not None:
                steps.append(f"\n        %and{number} = arith.andi {m}, %m{number} : i1\n")
            m = f"%m{number}" if m is None else f"%and{number}"
        mask = f"mask(%b, %h, %i, %j) {{ {''.join(steps)} posenc.yield {m} : i1 }} " if steps else ""
        return score + mask

    def function(self, fuse: bool = True) -> posenc.CompiledFunction:
        return compiled(self.text(), fuse, self.cpu)

    def draw(self, sizes: Sizes, seed: int = 0) -> tuple[list[np.ndarray], list[list[np.ndarray]]]:
        """Query, key, value as [b, h, l, d] in storage precision, and each part's inputs."""
        rng = np.random.default_rng(seed)
        extents = dataclasses.astuple(sizes)
        qkv = [rng.standard_normal(self.extents(operand, extents)).astype(NUMPY[self.element])
               for operand in range(3)]
        return qkv, [list(part.inputs(rng, sizes)) for part in self.parts]

    def call(self, qkv: Sequence[np.ndarray], extra: Sequence[Sequence[np.ndarray]], fuse: bool = True) -> Any:
        """The output as [b, h, l, d], with the log-sum-exp as a second result if the graph has one."""
        operands = [stored(x, layout) for x, layout in zip(qkv, self.layouts)]
        result = self.function(fuse)(*operands, *(array for arrays in extra for array in arrays))
        if self.logsumexp:
            return stored(result[0], self.layouts[3]), result[1]
        return stored(result, self.layouts[3])

    def expected(self, sizes: Sizes, qkv: Sequence[np.ndarray], extra: Sequence[Sequence[np.ndarray]]) -> Expected:
        terms = [part.terms(sizes, *arrays) for part, arrays in zip(self.parts, extra)]
        query, key = (np.asarray(x, np.float64) for x in qkv[:2])
        biases = [term.bias for term in terms if term.bias is not None]
        biases += [term.content(query, key) for term in terms if term.content is not None]
        for term in terms:
            query, key = term.turn_query(query), term.turn_key(key)
        masks = [term.mask for term in terms if term.mask is not None]
        caps = [term.soft_cap for term in terms if term.soft_cap is not None]
        sinks = [term.sinks for term in terms if term.sinks is not None]
        weights, logsumexp = oracle.probabilities(
            query, key, scale=self.factor(), bias=functools.reduce(np.add, biases) if biases else None,
            mask=functools.reduce(np.logical_and, masks) if masks else None, soft_cap=caps[0] if caps else None,
            sinks=sinks[0] if sinks else None, empty_rows=self.empty_rows)
        value = np.asarray(qkv[2], np.float64)
        # A score of 16 has half an ulp of 1e-6, and greater ones more: tolerances grow with them.
        seen = weights > 0
        scores = np.where(seen, np.log(np.where(seen, weights, 1)) + np.where(seen, logsumexp[..., None], 0), 0)
        growth = np.maximum(np.abs(scores).max(axis=-1, initial=0) / 16, 1)
        return Expected(oracle.weighted_sum(weights, value), logsumexp, oracle.error_scale(weights, value) * growth)

    def check(self, sizes: Sizes, *, fuse: bool = True, seed: int = 0, tolerance: float | None = None) -> None:
        """Compiles, runs and compares random inputs of these sizes."""
        qkv, extra = self.draw(sizes, seed)
        actual = self.call(qkv, extra, fuse)
        self.expected(sizes, qkv, extra).compare(actual, TOLERANCE[self.element] if tolerance is None else tolerance)


@dataclasses.dataclass(frozen=True)
class Expected:
    """The float64 result [B, Hq, Lq, Dv], log-sum-exp [B, Hq, Lq] and each row's scale, likewise.

    The scale is A = max_d sum_j p_j |v_jd|, in proportion more above scores of 16.
    """

    output: np.ndarray
    logsumexp: np.ndarray
    scale: np.ndarray

    def error(self, actual: np.ndarray) -> float:
        """The greatest |actual - output| / A; rows of A = 0 must be zero."""
        assert actual.shape == self.output.shape, f"{actual.shape} instead of {self.output.shape}"
        difference = np.abs(np.asarray(actual, np.float64) - self.output).max(axis=-1, initial=0.0)
        assert not np.isnan(difference).any(), f"not a number at {np.argwhere(np.isnan(difference))[:3].tolist()}"
        relative = np.divide(difference, self.scale, out=np.where(difference > 0, np.inf, 0.0), where=self.scale > 0)
        return float(relative.max(initial=0.0))

    def compare(self, actual: Any, tolerance: float) -> None:
        if isinstance(actual, tuple):
            actual, logsumexp = actual
            np.testing.assert_allclose(logsumexp, self.logsumexp, rtol=2e-6, atol=2e-5)
        error = self.error(actual)
        assert error <= tolerance, f"the error is {error:.2e} A, {tolerance:.1e} A is allowed"

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attention functions that benchmarks compile: posenc IR by sizes and encodings."""

from __future__ import annotations

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Term:
    """An encoding of the score or the mask: arguments after query, key and value, and assembly.

    `score` computes {y} from {x}, `mask` computes {y}; both may read what `body` defines.
    """

    body: str = ""
    score: str = ""
    mask: str = ""
    #: The argument's name, type and symbols, and its array for `length` tokens.
    argument: tuple[str, str, str] | None = None

    def array(self, length: int, heads: int) -> np.ndarray:
        random = np.random.default_rng(11)
        if self.argument[0] == "ids":
            return np.sort(random.integers(0, 8, (1, length))).astype(np.int32)
        return random.standard_normal((32, heads)).astype(np.float32)


def _term(name: str, heads: int) -> Term:
    bias = f"tensor<1x{heads}x?x?xf32>"
    add = f"""%{name}_e = tensor.extract %{name}[%c0, %h, %i, %j] : {bias}
      {{y}} = arith.addf {{x}}, %{name}_e : f32"""
    read = f"{{y}} = tensor.extract %{name}[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>"
    if name == "causal":
        return Term("%causal = posenc.causal sizes(%lq, %lk) : tensor<1x1x?x?xi1>", mask=read)
    if name == "window":
        return Term(
            """%left = arith.constant 255 : index
    %window = posenc.window sizes(%lq, %lk) left(%left) right(%c0) : tensor<1x1x?x?xi1>""",
            mask=read,
        )
    if name == "documents":
        return Term(
            """%documents = posenc.document query_ids(%ids : tensor<1x?xi32>)
        key_ids(%ids : tensor<1x?xi32>) sizes(%lq, %lk) : tensor<1x1x?x?xi1>""",
            mask=read,
            argument=("ids", "tensor<1x?xi32>", '["", "Lq"]'),
        )
    if name == "alibi":
        return Term(f"%alibi = posenc.alibi sizes(%lq, %lk) : {bias}", add)
    if name == "t5":
        table = f"tensor<32x{heads}xf32>"
        return Term(
            f"""%t5 = posenc.bucketed_bias %table sizes(%lq, %lk) {{max_distance = 128 : i64}}
        : {table} -> {bias}""",
            add,
            argument=("table", table, '["", ""]'),
        )
    if name == "soft_cap":
        return Term(
            score="""%cap = arith.constant 50.0 : f32
      %ratio = arith.divf {x}, %cap : f32
      %tanh = math.tanh %ratio : f32
      {y} = arith.mulf %tanh, %cap : f32"""
        )
    raise ValueError(f"no term '{name}'")


def _chain(steps: list[str], first: str, kind: str, combine: str = "") -> tuple[str, str]:
    """The steps one after another, and the name of their result."""
    lines, value = [], first
    for number, step in enumerate(steps):
        result = f"%{kind}{number}"
        lines.append(step.format(x=value, y=result))
        if combine and number:
            lines.append(f"{result}_all = {combine} {value}, {result} : i1")
            result += "_all"
        value = result
    return "\n      ".join(lines), value


@dataclasses.dataclass(frozen=True)
class Attention:
    """One attention on `[B, H, L, D]` tensors; the compiled code takes any B and L.

    features: of causal, rotary, alibi, t5, window, documents, soft_cap.
    """

    head_size: int
    features: tuple[str, ...] = ()
    query_heads: int = 8
    key_heads: int = 8
    storage: str = "f32"

    @property
    def name(self) -> str:
        return f"D={self.head_size} {' '.join(self.features) or 'full'}"

    @property
    def terms(self) -> list[Term]:
        return [_term(name, self.query_heads) for name in self.features if name != "rotary"]

    def extra_arrays(self, length: int) -> list[np.ndarray]:
        """What the function takes after query, key and value."""
        return [term.array(length, self.query_heads) for term in self.terms if term.argument]

    def _regions(self) -> str:
        score, last = _chain([t.score for t in self.terms if t.score], "%x", "s")
        regions = []
        if score:
            regions.append(
                f"score(%x, %b, %h, %i, %j) {{\n      {score}\n      posenc.yield {last} : f32\n    }}"
            )
        mask, last = _chain([t.mask for t in self.terms if t.mask], "", "m", "arith.andi")
        if mask:
            regions.append(
                f"mask(%b, %h, %i, %j) {{\n      {mask}\n      posenc.yield {last} : i1\n    }}"
            )
        return " ".join(regions)

    def mlir(self) -> str:
        """A module with `attention(query, key, value, ...) -> output`."""
        query = f"tensor<?x{self.query_heads}x?x{self.head_size}x{self.storage}>"
        key = f"tensor<?x{self.key_heads}x?x{self.head_size}x{self.storage}>"
        body = [term.body for term in self.terms if term.body]
        q, k = "%query", "%key"
        if "rotary" in self.features:
            lanes = f"lanes(<half, first = 0, count = {self.head_size}>)"
            frequencies = "frequencies(#posenc.frequencies<base = 10000.0>)"
            body += [
                f"%rotated_query = posenc.rotary %query {lanes} {frequencies} : {query}",
                f"%rotated_key = posenc.rotary %key {lanes} {frequencies} : {key}",
            ]
            q, k = "%rotated_query", "%rotated_key"
        arguments = "".join(
            ',\n    %{0}: {1} {{posenc.name = "{0}", posenc.symbols = {2}}}'.format(*term.argument)
            for term in self.terms
            if term.argument
        )
        lines = "\n    ".join(body)
        return f"""func.func @attention(
    %query: {query} {{posenc.name = "query", posenc.symbols = ["B", "", "Lq", ""]}},
    %key: {key} {{posenc.name = "key", posenc.symbols = ["B", "", "Lk", ""]}},
    %value: {key} {{posenc.name = "value", posenc.symbols = ["B", "", "Lk", ""]}}{arguments})
    -> ({query} {{posenc.name = "output"}}) {{
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %batch = tensor.dim %query, %c0 : {query}
    %lq = tensor.dim %query, %c2 : {query}
    %lk = tensor.dim %key, %c2 : {key}
    %scale = arith.constant {self.head_size**-0.5!r} : f32
    {lines}
    %init = tensor.empty(%batch, %lq) : {query}
    %output = posenc.attention query({q} : {query}) key({k} : {key}) value(%value : {key})
        scale(%scale) outs(%init : {query})
    {self._regions()} -> {query}
    return %output : {query}
}}
"""

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attention functions that benchmarks compile: posenc IR by sizes and encoding."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Attention:
    """One attention on `[B, H, L, D]` tensors; lengths and batch are dynamic in the compiled code."""

    head_size: int
    query_heads: int = 8
    key_heads: int = 8
    causal: bool = False
    rotary: bool = False
    alibi: bool = False
    storage: str = "f32"

    @property
    def name(self) -> str:
        features = [feature for feature in ("causal", "rotary", "alibi") if getattr(self, feature)]
        return f"D={self.head_size} {' '.join(features) or 'full'}"

    def mlir(self) -> str:
        """A module with `attention(query, key, value) -> output`."""
        query = f"tensor<?x{self.query_heads}x?x{self.head_size}x{self.storage}>"
        key = f"tensor<?x{self.key_heads}x?x{self.head_size}x{self.storage}>"
        body, regions = [], []
        q, k = "%query", "%key"
        if self.rotary:
            lanes = f"lanes(<half, first = 0, count = {self.head_size}>)"
            frequencies = "frequencies(#posenc.frequencies<base = 10000.0>)"
            body += [
                f"%rotated_query = posenc.rotary %query {lanes} {frequencies} : {query}",
                f"%rotated_key = posenc.rotary %key {lanes} {frequencies} : {key}",
            ]
            q, k = "%rotated_query", "%rotated_key"
        if self.alibi:
            bias = f"tensor<1x{self.query_heads}x?x?xf32>"
            body.append(f"%bias = posenc.alibi sizes(%lq, %lk) : {bias}")
            regions.append(
                f"""score(%x, %b, %h, %i, %j) {{
      %term = tensor.extract %bias[%c0, %h, %i, %j] : {bias}
      %y = arith.addf %x, %term : f32
      posenc.yield %y : f32
    }}"""
            )
        if self.causal:
            body.append("%mask = posenc.causal sizes(%lq, %lk) : tensor<1x1x?x?xi1>")
            regions.append(
                """mask(%b, %h, %i, %j) {
      %visible = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
      posenc.yield %visible : i1
    }"""
            )
        lines = "\n    ".join(body)
        return f"""func.func @attention(
    %query: {query} {{posenc.name = "query", posenc.symbols = ["B", "", "Lq", ""]}},
    %key: {key} {{posenc.name = "key", posenc.symbols = ["B", "", "Lk", ""]}},
    %value: {key} {{posenc.name = "value", posenc.symbols = ["B", "", "Lk", ""]}})
    -> ({query} {{posenc.name = "output"}}) {{
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %batch = tensor.dim %query, %c0 : {query}
    %lq = tensor.dim %query, %c2 : {query}
    %lk = tensor.dim %key, %c2 : {key}
    %scale = arith.constant {self.head_size ** -0.5!r} : f32
    {lines}
    %init = tensor.empty(%batch, %lq) : {query}
    %output = posenc.attention query({q} : {query}) key({k} : {key}) value(%value : {key})
        scale(%scale) outs(%init : {query})
    {' '.join(regions)} -> {query}
    return %output : {query}
}}
"""

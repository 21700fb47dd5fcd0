# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention without an encoding (NoPE), alone and beside encodings: by layer, and by head."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_attention import Graph, Part, Sizes, Terms
from encoding_parts import TRIANGLE, alibi, bucketed, window
from rotary_parts import Rotary, rotated
from tools import compiled

from posenc.reference import attention, causal, frequencies, rotary
from posenc.reference import alibi as alibi_reference
from posenc.reference import window as window_reference

PLAIN = Graph()
GRAPHS = {
    "none": PLAIN,
    "rotary": Graph((rotated(Rotary(), PLAIN),)),
    "alibi": Graph((alibi(4, symmetric=True),)),
    "t5": Graph((bucketed(4, bidirectional=True),)),
    "window": Graph((window(2, 2),)),
    "causal": Graph((TRIANGLE,)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_only_an_encoding_sees_the_order(name: str) -> None:
    """Without one the compiled function commutes with permutations of its tokens."""
    graph = GRAPHS[name]
    for sizes in (Sizes(1, 3, 9), Sizes(1, 70, 70)):
        (q, k, v), extra = graph.draw(sizes)
        rng = np.random.default_rng(1)
        rows, keys = rng.permutation(sizes.rows), rng.permutation(sizes.keys)
        straight = graph.call((q, k, v), extra)[:, :, rows]
        permuted = graph.call((q[:, :, rows], k[:, :, keys], v[:, :, keys]), extra)
        commutes = np.allclose(straight, permuted, rtol=0, atol=1e-5)
        assert commutes == (name == "none"), sizes


X = "tensor<?x4x?x16xf32>"
LAYERS = f"""
func.func @layers(%q: {X} {{posenc.symbols = ["B", "", "L", ""]}},
                  %k: {X} {{posenc.symbols = ["B", "", "L", ""]}},
                  %v: {X} {{posenc.symbols = ["B", "", "L", ""]}}) -> {X} {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %b = tensor.dim %q, %c0 : {X}
  %l = tensor.dim %q, %c2 : {X}
  %init = tensor.empty(%b, %l) : {X}
  %mask = posenc.causal sizes(%l, %l) : tensor<1x1x?x?xi1>
  %qr = posenc.rotary %q lanes(<half, first = 0, count = 16>)
      frequencies(#posenc.frequencies<base = 10000.0>) : {X}
  %kr = posenc.rotary %k lanes(<half, first = 0, count = 16>)
      frequencies(#posenc.frequencies<base = 10000.0>) : {X}
  %first = posenc.attention query(%qr : {X}) key(%kr : {X}) value(%v : {X}) scale(%scale)
      outs(%init : {X})
      mask(%bb, %h, %i, %j) {{
        %m = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %m : i1
      }} -> {X}
  %second = posenc.attention query(%first : {X}) key(%k : {X}) value(%first : {X}) scale(%scale)
      outs(%init : {X})
      mask(%bb, %h, %i, %j) {{
        %m = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %m : i1
      }} -> {X}
  return %second : {X}
}}
"""


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_a_layer_without_an_encoding_after_a_rotary_one(fuse: bool) -> None:
    """One function of two attentions that read the same keys: rotated, then as they are."""
    function = compiled(LAYERS, fuse=fuse)
    for batch, length in ((2, 5), (1, 70)):
        rng = np.random.default_rng(0)
        q, k, v = rng.standard_normal((3, batch, 4, length, 16)).astype(np.float32)
        mask = causal.causal(length, length, offset=0)
        inv_freq, _ = frequencies.default(16, 10000.0)
        qr, kr = (rotary.rotary(x, np.arange(length), inv_freq, lanes="half") for x in (q, k))
        first = attention.attention(qr, kr, v, scale=0.25, mask=mask)
        second = attention.attention(first, k, first, scale=0.25, mask=mask)
        np.testing.assert_allclose(function(q, k, v), second, rtol=0, atol=1e-5)


def by_head() -> Part:
    """Heads 0 and 1 have ALiBi and a window, heads 2 and 3 no encoding at all."""
    lines = alibi(4)

    def terms(sizes: Sizes, *given: np.ndarray) -> Terms:
        bias = alibi_reference.bias(
            alibi_reference.slopes(4), sizes.rows, sizes.keys, offset=0, symmetric=False
        )
        local = window_reference.window(sizes.rows, sizes.keys, left=6, right=3, offset=0)
        near = np.arange(4)[:, np.newaxis, np.newaxis] < 2
        return Terms(bias=np.where(near, bias, 0.0), mask=np.where(near, local, True)[np.newaxis])

    choice = "\n        %two_{0} = arith.constant 2 : index\n" \
        "        %near_{0} = arith.cmpi slt, %h, %two_{0} : index\n"  # fmt: skip
    band = window(6, 3)
    return Part(
        arguments=lines.arguments + band.arguments,
        inputs=lambda rng, sizes: [*lines.inputs(rng, sizes), *band.inputs(rng, sizes)],
        body=lines.body + band.body,
        score=choice.format("s") + lines.score.format(x="{x}", y="%lined")
        + "        {y} = arith.select %near_s, %lined, {x} : f32\n",
        mask=choice.format("m") + band.mask.format(m="%inside")
        + "        %every = arith.constant true\n"
        "        {m} = arith.select %near_m, %inside, %every : i1\n",
        terms=terms,
    )  # fmt: skip


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_encodings_of_some_heads(fuse: bool) -> None:
    graph = Graph((by_head(),), logsumexp=True)
    for sizes in (Sizes(2, 5, 7), Sizes(1, 1, 65), Sizes(1, 70, 130)):
        graph.check(sizes, fuse=fuse)

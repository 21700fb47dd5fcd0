# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph means the same compiled fused, compiled unfused, and in float64.

The encodings stand before attention, among transposes, as exporters leave them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from attention_cases import check
from posenc.reference import alibi
from posenc.reference.attention import attention
from tools import compiled, posenc_opt

B, HQ, HKV, D = 2, 8, 2, 16
SLOPES = alibi.slopes(HQ)
# A row alone, a part of a block of queries, a block and a remainder.
LENGTHS = (1, 5, 67)


@dataclasses.dataclass(frozen=True)
class Graph:
    """The ops of a graph between its arguments and attention.

    arguments: more arguments of @graph, after query [B, L, HQ, D] and key and value
    [B, L, HKV, D]; inputs: their arrays for a length L. `body` may define %query,
    %key, %value (bhld) from %qt, %kt, %vt and tensors that `regions` reads.
    `expected` is the float64 result [B, HQ, L, D] for q, k, v in bhld and the inputs.
    """

    body: str
    regions: str
    expected: Callable[..., np.ndarray]
    arguments: str = ""
    inputs: Callable[[np.random.Generator, int], list[np.ndarray]] = lambda rng, length: []


ADD_BIAS = """score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %e = tensor.extract %bias[%c0, %h, %i, %j] : tensor<1x8x?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }"""
READ_MASK = """mask(%b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %e = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %e : i1
      }"""
# A float mask made of a padding mask and the causal triangle, as exporters write it.
PENALTY = """
      %rows = tensor.empty(%l, %l) : tensor<2x1x?x?xf32>
      %bias = linalg.generic {{
          indexing_maps = [affine_map<(b, h, i, j) -> (b, j)>,
                           affine_map<(b, h, i, j) -> (b, h, i, j)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
          ins(%keep : tensor<2x?xi1>) outs(%rows : tensor<2x1x?x?xf32>) {{
        ^bb0(%k0: i1, %out: f32):
          %zero = arith.constant 0.0 : f32
          %low = arith.constant {penalty} : f32
          %i = linalg.index 2 : index
          %j = linalg.index 3 : index
          %past = arith.cmpi sle, %j, %i : index
          %both = arith.andi %past, %k0 : i1
          %s = arith.select %both, %zero, %low : f32
          linalg.yield %s : f32
        }} -> tensor<2x1x?x?xf32>"""
ADD_PENALTY = """score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %e = tensor.extract %bias[%b, %c0, %i, %j] : tensor<2x1x?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }"""
ROTATE = """
      %query = posenc.rotary %qt positions(%positions : tensor<2x?xi64>)
          cos(%cos : tensor<9x4xf32>) sin(%sin : tensor<9x4xf32>)
          lanes(<{pairing}, first = 4, count = 8>) : !query
      %key = posenc.rotary %kt positions(%positions : tensor<2x?xi64>)
          cos(%cos : tensor<9x4xf32>) sin(%sin : tensor<9x4xf32>)
          lanes(<{pairing}, first = 4, count = 8>) : !key"""


def keep_inputs(rng: np.random.Generator, length: int) -> list[np.ndarray]:
    """Which keys are no padding: the first two of sequence 1 are, so its rows 0 and 1 see none."""
    keep = np.ones((B, length), bool)
    keep[1, :2] = keep[0, 3:4] = False
    return [keep]


def rotary_inputs(rng: np.random.Generator, length: int) -> list[np.ndarray]:
    angle = rng.standard_normal((9, 4))
    positions = rng.integers(0, 9, (B, length))
    return [positions, np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)]


def causal(length: int) -> np.ndarray:
    return np.tri(length, dtype=bool)


def with_alibi(q, k, v):
    length = q.shape[2]
    bias = alibi.bias(SLOPES, length, length, offset=0, symmetric=False)
    return attention(q, k, v, scale=0.25, bias=bias)


def with_penalty(empty_rows: str):
    def expected(q, k, v, keep):
        mask = causal(q.shape[2]) & keep[:, None, None, :]
        return attention(q, k, v, scale=0.25, mask=mask, empty_rows=empty_rows)

    return expected


def with_rotation(pairing: str):
    def turned(x, positions, cos, sin):
        pairs = 4 + np.arange(8).reshape((2, 4) if pairing == "half" else (4, 2))
        first, second = pairs if pairing == "half" else pairs.T
        c, s = cos[positions][:, None], sin[positions][:, None]
        y = x.astype(np.float64)
        y[..., first] = x[..., first] * c - x[..., second] * s
        y[..., second] = x[..., first] * s + x[..., second] * c
        return y

    def expected(q, k, v, positions, cos, sin):
        table = (positions, cos, sin)
        return attention(turned(q, *table), turned(k, *table), v, scale=0.25)

    return expected


KEEP_ARGUMENT = ", %keep: tensor<2x?xi1>"
ROTARY_ARGUMENTS = ", %positions: tensor<2x?xi64>, %cos: tensor<9x4xf32>, %sin: tensor<9x4xf32>"
GRAPHS = {
    "alibi": Graph(
        "%bias = posenc.alibi sizes(%l, %l) : tensor<1x8x?x?xf32>", ADD_BIAS, with_alibi
    ),
    "causal": Graph(
        "%mask = posenc.causal sizes(%l, %l) : tensor<1x1x?x?xi1>",
        READ_MASK,
        lambda q, k, v: attention(q, k, v, scale=0.25, mask=causal(q.shape[2])),
    ),
    "minus_infinity": Graph(
        PENALTY.format(penalty="0xFF800000"),
        ADD_PENALTY,
        with_penalty("zero"),
        KEEP_ARGUMENT,
        keep_inputs,
    ),
    "lowest_finite": Graph(
        PENALTY.format(penalty="-3.4028234663852886E+38"),
        ADD_PENALTY,
        with_penalty("average"),
        KEEP_ARGUMENT,
        keep_inputs,
    ),
    **{
        f"rotary_{pairing}": Graph(
            ROTATE.format(pairing=pairing),
            "",
            with_rotation(pairing),
            ROTARY_ARGUMENTS,
            rotary_inputs,
        )
        for pairing in ("half", "interleaved")
    },
}


def module(graph: Graph) -> str:
    """Projections as [B, L, H, D], transposed, then `graph`, then back."""
    rotates = "%query =" in graph.body
    query, key = ("%query", "%key") if rotates else ("%qt", "%kt")
    swap = "permutation = [0, 2, 1, 3]"
    return f"""
    !query_rows = tensor<2x?x8x16xf32>
    !key_rows = tensor<2x?x2x16xf32>
    !query = tensor<2x8x?x16xf32>
    !key = tensor<2x2x?x16xf32>
    func.func @graph(%q: !query_rows, %k: !key_rows, %v: !key_rows{graph.arguments})
        -> !query_rows {{
      %c1 = arith.constant 1 : index
      %scale = arith.constant 0.25 : f32
      %l = tensor.dim %q, %c1 : !query_rows
      %qe = tensor.empty(%l) : !query
      %qt = linalg.transpose ins(%q : !query_rows) outs(%qe : !query) {swap}
      %ke = tensor.empty(%l) : !key
      %kt = linalg.transpose ins(%k : !key_rows) outs(%ke : !key) {swap}
      %vt = linalg.transpose ins(%v : !key_rows) outs(%ke : !key) {swap}
      {graph.body}
      %o = posenc.attention query({query} : !query) key({key} : !key) value(%vt : !key)
          scale(%scale) outs(%qe : !query) {graph.regions} -> !query
      %oe = tensor.empty(%l) : !query_rows
      %ot = linalg.transpose ins(%o : !query) outs(%oe : !query_rows) {swap}
      return %ot : !query_rows
    }}"""


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_result_equals_oracle(graph: Graph, fuse: bool, length: int) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (
        rng.standard_normal((B, heads, length, D)).astype(np.float32) for heads in (HQ, HKV, HKV)
    )
    extra = graph.inputs(rng, length)
    output = compiled(module(graph), fuse=fuse)(*(x.swapaxes(1, 2) for x in (q, k, v)), *extra)
    check(output.swapaxes(1, 2), graph.expected(q, k, v, *extra), v)


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_nothing_is_left_beside_attention(graph: Graph) -> None:
    """Transposes became layouts; what is L x L became regions, and so did rotations."""
    fused = posenc_opt(module(graph), "--posenc-simplify", "--posenc-fuse")
    assert "linalg.transpose" not in fused
    assert "?x?x" not in fused
    assert ("rotate_query" in fused) == ("posenc.rotary" in graph.body)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph means the same fused, unfused, and in float64.

Fused is the IR after Simplify and Fuse, its attention then decomposed so that
stock passes can run it: the regions that fusion wrote are what computes.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable

import numpy as np
import pytest
from attention_cases import check
from stock_lowering import Executable

from posenc.reference import alibi
from posenc.reference.attention import attention

B, HQ, HKV, L, D = 2, 8, 2, 5, 16
ALIBI = alibi.bias(alibi.slopes(HQ), L, L, offset=0, symmetric=False)
UNFUSED = ["--posenc-fuse=no-fuse"]
FUSED = ["--posenc-simplify", "--posenc-fuse", "--posenc-decompose=no-fuse"]


@dataclasses.dataclass(frozen=True)
class Graph:
    """The ops of a graph between its arguments and attention.

    arguments: more arguments of @main, after query [B, L, HQ, D] and key and value
    [B, L, HKV, D]; inputs: their arrays. `body` may define %query, %key, %value
    (bhld) from %q, %k, %v and tensors that `regions` reads. `expected` is the
    float64 result [B, HQ, L, D] for q, k, v in bhld and the inputs.
    """

    body: str
    regions: str
    expected: Callable[..., np.ndarray]
    arguments: str = ""
    inputs: Callable[[np.random.Generator], list[np.ndarray]] = lambda rng: []


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
      %bias = linalg.generic {{indexing_maps = [affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>],
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
      %query = posenc.rotary %qt positions(%positions : tensor<2x?xi64>) cos(%cos : tensor<9x4xf32>) sin(%sin : tensor<9x4xf32>)
          lanes(<{pairing}, first = 4, count = 8>) : tensor<2x8x?x16xf32>
      %key = posenc.rotary %kt positions(%positions : tensor<2x?xi64>) cos(%cos : tensor<9x4xf32>) sin(%sin : tensor<9x4xf32>)
          lanes(<{pairing}, first = 4, count = 8>) : tensor<2x2x?x16xf32>"""


def keep_inputs(rng: np.random.Generator) -> list[np.ndarray]:
    """Which keys are no padding: the first two of sequence 1 are, so its rows 0 and 1 see none."""
    keep = np.ones((B, L), bool)
    keep[1, :2] = keep[0, 3] = False
    return [keep]


def rotary_inputs(rng: np.random.Generator) -> list[np.ndarray]:
    angle = rng.standard_normal((9, 4))
    positions = rng.integers(0, 9, (B, L))
    return [positions, np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)]


def with_penalty(empty_rows: str):
    def expected(q, k, v, keep):
        mask = np.tri(L, dtype=bool) & keep[:, None, None, :]
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


ROTARY_ARGUMENTS = ", %positions: tensor<2x?xi64>, %cos: tensor<9x4xf32>, %sin: tensor<9x4xf32>"
GRAPHS = {
    "alibi": Graph(
        "%bias = posenc.alibi sizes(%l, %l) : tensor<1x8x?x?xf32>",
        ADD_BIAS,
        lambda q, k, v: attention(q, k, v, scale=0.25, bias=ALIBI),
    ),
    "causal": Graph(
        "%mask = posenc.causal sizes(%l, %l) : tensor<1x1x?x?xi1>",
        READ_MASK,
        lambda q, k, v: attention(q, k, v, scale=0.25, mask=np.tri(L, dtype=bool)),
    ),
    "minus_infinity": Graph(
        PENALTY.format(penalty="0xFF800000"),
        ADD_PENALTY,
        with_penalty("zero"),
        ", %keep: tensor<2x?xi1>",
        keep_inputs,
    ),
    "lowest_finite": Graph(
        PENALTY.format(penalty="-3.4028234663852886E+38"),
        ADD_PENALTY,
        with_penalty("average"),
        ", %keep: tensor<2x?xi1>",
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
    body = graph.body
    defined = {name: f"%{name}" if f"%{name} =" in body else f"%{name[0]}t" for name in
               ("query", "key", "value")}
    return f"""
    func.func @main(%q: tensor<2x?x8x16xf32>, %k: tensor<2x?x2x16xf32>, %v: tensor<2x?x2x16xf32>{graph.arguments}) -> tensor<2x?x8x16xf32> {{
      %c1 = arith.constant 1 : index
      %scale = arith.constant 0.25 : f32
      %l = tensor.dim %q, %c1 : tensor<2x?x8x16xf32>
      %qe = tensor.empty(%l) : tensor<2x8x?x16xf32>
      %qt = linalg.transpose ins(%q : tensor<2x?x8x16xf32>) outs(%qe : tensor<2x8x?x16xf32>) permutation = [0, 2, 1, 3]
      %ke = tensor.empty(%l) : tensor<2x2x?x16xf32>
      %kt = linalg.transpose ins(%k : tensor<2x?x2x16xf32>) outs(%ke : tensor<2x2x?x16xf32>) permutation = [0, 2, 1, 3]
      %vt = linalg.transpose ins(%v : tensor<2x?x2x16xf32>) outs(%ke : tensor<2x2x?x16xf32>) permutation = [0, 2, 1, 3]
      {body}
      %o = posenc.attention query({defined["query"]} : tensor<2x8x?x16xf32>) key({defined["key"]} : tensor<2x2x?x16xf32>)
          value({defined["value"]} : tensor<2x2x?x16xf32>) scale(%scale) outs(%qe : tensor<2x8x?x16xf32>)
          {graph.regions} -> tensor<2x8x?x16xf32>
      %oe = tensor.empty(%l) : tensor<2x?x8x16xf32>
      %ot = linalg.transpose ins(%o : tensor<2x8x?x16xf32>) outs(%oe : tensor<2x?x8x16xf32>) permutation = [0, 2, 1, 3]
      return %ot : tensor<2x?x8x16xf32>
    }}"""


@pytest.mark.parametrize("passes", [FUSED, UNFUSED], ids=["fused", "unfused"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_graph(graph: Graph, passes: list[str], tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (
        rng.standard_normal((B, heads, L, D)).astype(np.float32) for heads in (HQ, HKV, HKV)
    )
    extra = graph.inputs(rng)
    executable = Executable(module(graph), passes, tmp_path)
    rows = [x.swapaxes(1, 2) for x in (q, k, v)]
    (output,) = executable(*rows, *extra, results=[(4, np.float32)])
    check(output.swapaxes(1, 2), graph.expected(q, k, v, *extra), v)
    if passes is FUSED:
        assert "linalg.transpose" not in executable.ir

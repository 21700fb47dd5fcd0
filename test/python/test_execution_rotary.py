# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled rotary encodings, fused and unfused, against float64; their angles at long context."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from compiled_attention import Graph, Sizes, compiled
from encoding_parts import causal
from rotary_parts import (
    CHUNKED,
    LLAMA3,
    MROPE_INTERLEAVED,
    OF_LENGTH,
    ORIGINAL,
    RESTARTING,
    STRIDED,
    Rotary,
    rotated,
)

from posenc.reference import attention, frequencies, pope, rotary

SIZES = [Sizes(2, 5, 7), Sizes(1, 1, 65), Sizes(3, 17, 3), Sizes(2, 70, 129)]
# One storage type has f32's tolerance; a rotated key is rounded to 16 bits before the product.
ROUNDED_KEYS = {"f32": None, "f16": 4 * 2**-10, "bf16": 4 * 2**-7}

HOW = {
    "half": Rotary(),
    "interleaved": Rotary("interleaved"),
    "half_first": Rotary(count=8),
    "interleaved_first": Rotary("interleaved", count=4),
    "half_last": Rotary(count=8, first=8),
    "interleaved_last": Rotary("interleaved", count=8, first=8),
    "inverse": Rotary(inverse=True),
    "positions": Rotary(positions="batch"),
    "row_positions": Rotary("interleaved", positions="row"),
    "caches": Rotary(positions="cache"),
    "caches_interleaved": Rotary("interleaved", positions="cache", count=8, first=8),
    "caches_f16": Rotary(positions="cache", cache="f16"),
    "linear": Rotary(scaling="linear"),
    "llama3": Rotary("interleaved", scaling="llama3"),
    "ntk": Rotary("interleaved", count=8, scaling="ntk"),
    "yarn": Rotary(positions="batch", scaling="yarn"),
    "proportional": Rotary(scaling="proportional", inverse=True),
    # Sizes on both sides of the original length.
    "dynamic_ntk": Rotary(positions="row", scaling="dynamic_ntk"),
    "longrope": Rotary("interleaved", count=8, first=8, scaling="longrope"),
    "chunked": Rotary(positions="axes", sections=CHUNKED),
    "mrope_interleaved": Rotary(positions="axes", sections=MROPE_INTERLEAVED),
    "strided": Rotary(positions="axes", sections=STRIDED),
    "restarting": Rotary("interleaved", positions="axes", sections=RESTARTING),
    "xpos": Rotary("interleaved", decay=True),
    "temperature": Rotary(positions="batch", temperature=True),
}


def graph_of(how: Rotary, **more) -> Graph:
    graph = Graph(**more)
    return dataclasses.replace(graph, parts=(*graph.parts, rotated(how, graph)))


@pytest.mark.parametrize("name", HOW)
def test_rotary(name: str) -> None:
    for sizes in SIZES:
        graph_of(HOW[name]).check(sizes)


@pytest.mark.parametrize(
    "name",
    [
        "half",
        "interleaved_last",
        "inverse",
        "row_positions",
        "caches",
        "llama3",
        "dynamic_ntk",
        "longrope",
        "mrope_interleaved",
        "xpos",
        "temperature",
    ],
)
def test_unfused(name: str) -> None:
    for sizes in SIZES:
        graph_of(HOW[name]).check(sizes, fuse=False)


@pytest.mark.parametrize(
    "width, count, lanes",
    [
        (64, 64, "half"),
        (128, 128, "interleaved"),
        (96, 32, "interleaved"),
        (40, 20, "half"),
        (80, 40, "half"),
    ],
)
def test_widths(width: int, count: int, lanes: str) -> None:
    graph = graph_of(
        Rotary(lanes, count),
        width=width,
        value_width=width,
        parts=(causal("bottom_right"),),
        layouts=("blhd",) * 4,
    )
    for sizes in (Sizes(2, 1, 33), Sizes(1, 70, 70)):
        graph.check(sizes)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("element, scaling", [("f16", "yarn"), ("bf16", "longrope")])
def test_storage(element: str, scaling: str, fuse: bool) -> None:
    graph = graph_of(
        Rotary(count=64, scaling=scaling), width=64, value_width=64, parts=(causal("bottom_right"),), element=element
    )
    for sizes in (Sizes(2, 1, 65), Sizes(1, 70, 70)):
        graph.check(sizes, fuse=fuse, tolerance=ROUNDED_KEYS[element])


def identity(how: Rotary, width: int) -> str:
    """A graph that only rotates: [1, 1, L, D] at positions [L]."""
    length = how.scaling in OF_LENGTH
    return f"""
func.func @turn(%x: tensor<1x1x?x{width}xf32> {{posenc.name = "x"}}, %at: tensor<?xi64> {{posenc.name = "at"}},
    %length: tensor<i64> {{posenc.name = "length"}}) -> (tensor<1x1x?x{width}xf32> {{posenc.name = "y"}}) {{
  %e = tensor.extract %length[] : tensor<i64>
  %n = arith.index_cast %e : i64 to index
  %y = posenc.rotary %x positions(%at : tensor<?xi64>) {"length(%n)" if length else ""}
      lanes(<{how.lanes}, first = 0, count = {width}>) {how.attribute()} : tensor<1x1x?x{width}xf32>
  return %y : tensor<1x1x?x{width}xf32>
}}"""


@pytest.mark.parametrize("scaling", ["", "linear", "llama3", "yarn", "dynamic_ntk", "longrope"])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
def test_angles_at_long_context(scaling: str, base: float) -> None:
    """cos and sin within 3e-7 of float64: what the pair (1, 0) turns into."""
    width = 128
    how = Rotary("half", width, scaling=scaling, base=base)
    positions = np.concatenate(
        [
            np.arange(4096),
            np.arange(1_048_575 - 2048, 1_048_576),
            np.random.default_rng(0).integers(0, 1_048_576, 4096),
        ]
    )
    x = np.zeros((1, 1, len(positions), width), np.float32)
    x[..., : width // 2] = 1
    lengths = [7, ORIGINAL, ORIGINAL + 1, 131_072, 1_048_576] if scaling in OF_LENGTH else [0]
    for length in lengths:
        y = compiled(identity(how, width))(x, positions, np.asarray(length))[0, 0]
        inv_freq, factor = how.turning(length)
        cos, sin = rotary.cos_sin(positions, inv_freq, factor)
        assert np.abs(y[:, : width // 2] - cos).max() <= 3e-7 * factor
        assert np.abs(y[:, width // 2 :] - sin).max() <= 3e-7 * factor


def test_angles_inside_attention() -> None:
    """One key at position 0, whose score is the cosine: its probability against a key of score 0."""
    graph = graph_of(
        Rotary("half", 8, positions="row"), heads=1, kv_heads=1, width=8, value_width=8, scale=1.0
    )
    positions = np.array([0, 1, 1_048_575, 1_048_574, 777_777, 16_777_216])
    q = np.zeros((1, 1, len(positions), 8), np.float32)
    q[..., 0] = 1
    k = np.zeros((1, 1, 2, 8), np.float32)
    k[0, 0, 0, 0] = 1
    v = np.zeros((1, 1, 2, 8), np.float32)
    v[0, 0, 0] = 1
    output = graph.call((q, k, v), [[positions, np.zeros(2, np.int64)]])
    expected = 1 / (1 + np.exp(-np.cos(positions.astype(np.float64))))
    assert np.abs(output[0, 0, :, 0] - expected).max() <= 3e-7


def test_only_differences_of_positions_matter() -> None:
    """Both sides moved by a million give the same attention."""
    graph = graph_of(Rotary(count=64), width=64, value_width=64)
    sizes = Sizes(1, 33, 33)
    qkv, _ = graph.draw(sizes)
    near, far = (
        graph.call(qkv, [[np.asarray(start), np.asarray(start)]]) for start in (0, 1_000_000)
    )
    np.testing.assert_allclose(near, far, atol=1e-5)


def test_llama3_has_three_kinds_of_waves() -> None:
    """The oracle's settings cover what they are meant to."""
    plain, scaled = frequencies.default(16, 1e4)[0], frequencies.llama3(16, 1e4, **LLAMA3)[0]
    ratio = scaled / plain
    assert np.isclose(ratio, 1).any() and np.isclose(ratio, 1 / 8).any()


def test_pope() -> None:
    """Attention over polar queries and keys, which are twice as wide."""
    text = """
func.func @polar(%q: tensor<?x4x?x8xf32> {posenc.symbols = ["B", "", "L", ""]},
    %k: tensor<?x4x?x8xf32> {posenc.symbols = ["B", "", "S", ""]},
    %v: tensor<?x4x?x8xf32> {posenc.symbols = ["B", "", "S", ""]}, %phase: tensor<4x8xf32>,
    %offset: tensor<i64>) -> tensor<?x4x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x4x?x8xf32>
  %l = tensor.dim %q, %c2 : tensor<?x4x?x8xf32>
  %e = tensor.extract %offset[] : tensor<i64>
  %o = arith.index_cast %e : i64 to index
  %scale = arith.constant 0.25 : f32
  %init = tensor.empty(%b, %l) : tensor<?x4x?x8xf32>
  %qp = posenc.pope %q offset(%o) frequencies(#posenc.frequencies<base = 10000.0>)
      : tensor<?x4x?x8xf32> -> tensor<?x4x?x16xf32>
  %kp = posenc.pope %k phase(%phase : tensor<4x8xf32>) frequencies(#posenc.frequencies<base = 10000.0>)
      : tensor<?x4x?x8xf32> -> tensor<?x4x?x16xf32>
  %r = posenc.attention query(%qp : tensor<?x4x?x16xf32>) key(%kp : tensor<?x4x?x16xf32>)
      value(%v : tensor<?x4x?x8xf32>) scale(%scale) outs(%init : tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %r : tensor<?x4x?x8xf32>
}"""
    rng = np.random.default_rng(0)
    inv_freq = frequencies.default(16, 1e4)[0]
    phase = rng.uniform(-9, 2, (4, 8)).astype(np.float32)
    for sizes in SIZES:
        q, k, v = (
            rng.standard_normal((sizes.batch, 4, length, 8)).astype(np.float32)
            for length in (sizes.rows, sizes.keys, sizes.keys)
        )
        weights, _ = attention.probabilities(
            pope.pope(q, 3 + np.arange(sizes.rows), inv_freq),
            pope.pope(k, np.arange(sizes.keys), inv_freq, phase=phase),
            scale=0.25,
        )
        expected = attention.weighted_sum(weights, v)
        for fuse in (True, False):
            actual = compiled(text, fuse)(q, k, v, phase, np.asarray(3))
            np.testing.assert_allclose(actual, expected, atol=2e-5)

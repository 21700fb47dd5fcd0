# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled rotary encodings, fused and unfused, against float64; their angles at long context."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from compiled_attention import Graph, Sizes, compiled
from encoding_parts import causal
from rotary_parts import LLAMA3, Rotary, rotated

from posenc.reference import frequencies, rotary

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
}


def graph_of(how: Rotary, **more) -> Graph:
    graph = Graph(**more)
    return dataclasses.replace(graph, parts=(*graph.parts, rotated(how, graph)))


@pytest.mark.parametrize("name", HOW)
def test_rotary(name: str) -> None:
    for sizes in SIZES:
        graph_of(HOW[name]).check(sizes)


@pytest.mark.parametrize(
    "name", ["half", "interleaved_last", "inverse", "row_positions", "caches", "llama3"]
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
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_storage(element: str, fuse: bool) -> None:
    graph = graph_of(
        Rotary(count=64), width=64, value_width=64, parts=(causal("bottom_right"),), element=element
    )
    for sizes in (Sizes(2, 1, 65), Sizes(1, 70, 70)):
        graph.check(sizes, fuse=fuse, tolerance=ROUNDED_KEYS[element])


def identity(how: Rotary, width: int) -> str:
    """A graph that only rotates: [1, 1, L, D] at positions [L]."""
    return f"""
func.func @turn(%x: tensor<1x1x?x{width}xf32> {{posenc.name = "x"}}, %at: tensor<?xi64> {{posenc.name = "at"}})
    -> (tensor<1x1x?x{width}xf32> {{posenc.name = "y"}}) {{
  %y = posenc.rotary %x positions(%at : tensor<?xi64>) lanes(<{how.lanes}, first = 0, count = {width}>)
      {how.attribute()} : tensor<1x1x?x{width}xf32>
  return %y : tensor<1x1x?x{width}xf32>
}}"""


@pytest.mark.parametrize("scaling", ["", "linear", "llama3"])
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
    y = compiled(identity(how, width))(x, positions)[0, 0]
    cos, sin = rotary.cos_sin(positions, how.inv_freq())
    assert np.abs(y[:, : width // 2] - cos).max() <= 3e-7
    assert np.abs(y[:, width // 2 :] - sin).max() <= 3e-7


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

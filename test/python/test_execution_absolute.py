# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled absolute encodings as functions of their own, against float64."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_attention import NUMPY, compiled

from posenc.reference import add, learned, sinusoidal


def by_positions(op: str, width: int) -> str:
    """%y [L, width] from %at [L] by `op`, which sees %n."""
    return f"""
func.func @encode(%at: tensor<?xi64> {{posenc.name = "at"}}) -> (tensor<?x{width}xf32> {{posenc.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %y = {op} : tensor<?x{width}xf32>
  return %y : tensor<?x{width}xf32>
}}"""


SINUSOIDS = {
    "paper": (
        16,
        "order(<interleaved>) exponents(<model_dim>)",
        "",
        {"layout": "interleaved", "exponents": "paper"},
    ),
    "tensor2tensor": (
        16,
        "order(<concatenated>) exponents(<half_dim>)",
        "{shift = 1.0}",
        {"layout": "concatenated", "exponents": "tensor2tensor"},
    ),
    "odd": (
        9,
        "order(<interleaved>) exponents(<model_dim>) odd(<extra_sine>)",
        "",
        {"layout": "interleaved", "exponents": "paper", "odd": "extra_sine"},
    ),
    "zero_column": (
        9,
        "order(<concatenated>) exponents(<half_dim>) odd(<zero_column>)",
        "{shift = 1.0}",
        {"layout": "concatenated", "exponents": "tensor2tensor", "odd": "zero_column"},
    ),
    "cos_first_scaled": (
        16,
        "order(<interleaved>) exponents(<model_dim>) cos_first",
        "{scale = 0.5 : f64, base = 100.0 : f64}",
        {
            "layout": "interleaved",
            "exponents": "paper",
            "cos_first": True,
            "scale": 0.5,
            "base": 100.0,
        },
    ),
    "padding": (
        16,
        "order(<interleaved>) exponents(<model_dim>)",
        "{padding_position = 1 : i64}",
        {"layout": "interleaved", "exponents": "paper", "padding_idx": 1},
    ),
}


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", SINUSOIDS)
def test_sinusoidal(name: str, fuse: bool) -> None:
    width, clauses, attributes, oracle = SINUSOIDS[name]
    function = compiled(
        by_positions(
            f"posenc.sinusoidal positions(%at : tensor<?xi64>) sizes(%n) {clauses} {attributes}",
            width,
        ),
        fuse,
    )
    for positions in (np.arange(70), np.array([1_048_575, 1, 131_071, 65_536]), np.arange(0)):
        expected = sinusoidal.sinusoidal(positions, width, **oracle)
        np.testing.assert_allclose(
            function(positions.astype(np.int64)), expected, rtol=0, atol=3e-7
        )


EMBED = """
func.func @embed(%x: tensor<?x?x16x{e}> {{posenc.name = "x", posenc.symbols = ["B", "L", ""]}},
                 %table: tensor<?x16x{e}> {{posenc.name = "table"}}, %past_t: tensor<i64> {{posenc.name = "past"}})
    -> (tensor<?x?x16x{e}> {{posenc.name = "y"}}) {{
  %c1 = arith.constant 1 : index
  %length = tensor.dim %x, %c1 : tensor<?x?x16x{e}>
  %past_e = tensor.extract %past_t[] : tensor<i64>
  %past = arith.index_cast %past_e : i64 to index
  %rows = posenc.learned %table sizes(%length) offset(%past) out_of_range(<clamp>) {{row_offset = 2}}
      : tensor<?x16x{e}> -> tensor<?x16x{e}>
  %y = posenc.add %x, %rows {{embedding_scale = 4.0}} : tensor<?x?x16x{e}>, tensor<?x16x{e}>
  return %y : tensor<?x?x16x{e}>
}}"""


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
def test_learned_and_added(element: str, fuse: bool) -> None:
    """Rows past the table are its last one; a past of -5 reads its first."""
    function = compiled(EMBED.format(e=element), fuse)
    rng = np.random.default_rng(0)
    table = rng.standard_normal((20, 16)).astype(NUMPY[element])
    step = {"f32": 2**-23, "f16": 2**-10, "bf16": 2**-7}[element]
    for batch, length, past in (
        (2, 7, 0),
        (3, 30, 5),
        (1, 1, 1_000_000),
        (2, 5, -5),
        (2, 0, 0),
        (0, 3, 0),
    ):
        x = rng.standard_normal((batch, length, 16)).astype(NUMPY[element])
        rows = learned.learned(table, past + np.arange(length), row_offset=2, out_of_range="clamp")
        expected = add.add(x, rows, embedding_scale=4.0)
        actual = function(x, table, np.asarray(past)).astype(np.float64)
        np.testing.assert_allclose(actual, expected, rtol=step, atol=2 * step)


def test_sinusoidal_row_by_row() -> None:
    """A step's encoding is the row of the whole table."""
    text = """
func.func @encode(%x: tensor<?x24xf32> {posenc.name = "x"}, %past_t: tensor<i64> {posenc.name = "past"})
    -> (tensor<?x24xf32> {posenc.name = "y"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x24xf32>
  %past_e = tensor.extract %past_t[] : tensor<i64>
  %past = arith.index_cast %past_e : i64 to index
  %y = posenc.sinusoidal sizes(%n) offset(%past) order(<interleaved>) exponents(<model_dim>) : tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}"""
    function = compiled(text)
    whole = function(np.empty((300, 24), np.float32), np.asarray(0))
    for past in (0, 1, 17, 299):
        np.testing.assert_array_equal(
            function(np.empty((1, 24), np.float32), np.asarray(past))[0], whole[past]
        )

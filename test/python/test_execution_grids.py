# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings of grids, positions of tokens and convolutions as compiled functions, against float64."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_attention import NUMPY, compiled

from posenc.reference import conv, learned_2d, positions, sinusoidal_2d

VIT = """
func.func @embed(%x: tensor<?x21x8xbf16> {posenc.name = "x"}, %table: tensor<17x8xbf16> {posenc.name = "table"},
                 %image: tensor<?x5xf32> {posenc.name = "image", posenc.symbols = ["H", ""]})
    -> (tensor<?x21x8xbf16> {posenc.name = "y"}, tensor<?x5x8xf32> {posenc.name = "grid"}) {
  %c0 = arith.constant 0 : index
  %h = tensor.dim %image, %c0 : tensor<?x5xf32>
  %rows = posenc.learned_2d %table interpolation(<bicubic>) antialias
      {grid = array<i64: 4, 4>, new_grid = array<i64: 4, 5>, prefix_tokens = 1 : i64}
      : tensor<17x8xbf16> -> tensor<21x8xf32>
  %y = posenc.add %x, %rows : tensor<?x21x8xbf16>, tensor<21x8xf32>
  %grid = posenc.sinusoidal_2d sizes(%h) first(<column>) order(<axes_apart>) : tensor<?x5x8xf32>
  return %y, %grid : tensor<?x21x8xbf16>, tensor<?x5x8xf32>
}"""


def test_vision_transformer() -> None:
    function = compiled(VIT)
    rng = np.random.default_rng(0)
    x, table = (rng.standard_normal(s).astype(NUMPY["bf16"]) for s in ((2, 21, 8), (17, 8)))
    y, grid = function(x, table, np.zeros((3, 5), np.float32))
    rows = learned_2d.learned_2d(
        table, (4, 4), (4, 5), prefix_tokens=1, interpolation="bicubic", antialias=True
    )
    np.testing.assert_allclose(y.astype(np.float64), x + rows, rtol=2**-8, atol=2**-10)
    expected = sinusoidal_2d.sinusoidal_2d(3, 5, 8, first="column", order="axes_apart")
    np.testing.assert_allclose(grid, expected, rtol=0, atol=3e-7)


# Past tokens may be in the mask (OPT) or in the offset (RoBERTa); BART looks at none.
POSITIONS = """
func.func @number(%mask: tensor<?x?xi1> {posenc.name = "mask", posenc.symbols = ["B", "T"]},
                  %ids: tensor<?x?xi64> {posenc.name = "ids", posenc.symbols = ["B", "N"]},
                  %past_t: tensor<i64> {posenc.name = "past"},
                  %table: tensor<?x4xf32> {posenc.name = "table"})
    -> (tensor<?x?xi64> {posenc.name = "roberta"}, tensor<?x?xi32> {posenc.name = "opt"},
        tensor<?x?x4xf32> {posenc.name = "rows"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %new = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %past_e = tensor.extract %past_t[] : tensor<i64>
  %past = arith.index_cast %past_e : i64 to index
  %b = tensor.dim %mask, %c0 : tensor<?x?xi1>
  %roberta = posenc.token_positions %mask offset(%past) {first = 2 : i64, padding = 1 : i64}
      : tensor<?x?xi1> -> tensor<?x?xi64>
  %opt = posenc.token_positions %mask length(%new) {first = 0 : i64, padding = -1 : i64}
      : tensor<?x?xi1> -> tensor<?x?xi32>
  %rows = posenc.learned %table positions(%opt : tensor<?x?xi32>) sizes(%b, %new) out_of_range(<error>)
      {row_offset = 2 : i64} : tensor<?x4xf32> -> tensor<?x?x4xf32>
  return %roberta, %opt, %rows : tensor<?x?xi64>, tensor<?x?xi32>, tensor<?x?x4xf32>
}"""


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_token_positions(fuse: bool) -> None:
    function = compiled(POSITIONS, fuse)
    rng = np.random.default_rng(0)
    table = rng.standard_normal((30, 4)).astype(np.float32)
    for batch, total, new, past in ((3, 9, 9, 0), (2, 9, 2, 5), (1, 1, 1, 7), (0, 3, 2, 1)):
        mask = rng.random((batch, total)) < 0.7
        ids = np.zeros((batch, new), np.int64)
        roberta, opt, rows = function(mask, ids, np.asarray(past), table)
        tokens = np.where(mask, 5, 1)
        np.testing.assert_array_equal(
            roberta, positions.from_tokens(tokens, padding_idx=1, past=past)
        )
        expected = positions.from_mask(mask, pad_position=-1)[:, total - new :]
        np.testing.assert_array_equal(opt, expected)
        np.testing.assert_array_equal(rows, table[expected + 2])


CONVOLUTIONS = {
    "wav2vec2": ("f32", "?x?x8", (8, 4, 4), True, (2, 7, 8)),
    "cpvt": ("f16", "?x?x?x6", (6, 1, 3, 3), False, (2, 4, 5, 6)),
}


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_conv(name: str, fuse: bool) -> None:
    element, shape, weights, has_bias, sizes = CONVOLUTIONS[name]
    kind = f"tensor<{shape}x{element}>"
    weight_kind = f"tensor<{'x'.join(map(str, weights))}x{element}>"
    bias_kind = f"tensor<{weights[0]}x{element}>"
    bias = f"bias(%bias : {bias_kind})" if has_bias else ""
    function = compiled(
        f"""
func.func @conv(%x: {kind}, %weight: {weight_kind}, %bias: {bias_kind}) -> {kind} {{
  %y = posenc.conv %x weight(%weight : {weight_kind}) {bias} : {kind}
  return %y : {kind}
}}""",
        fuse,
    )
    rng = np.random.default_rng(0)
    x, weight, bias = (
        rng.standard_normal(size).astype(NUMPY[element]) for size in (sizes, weights, weights[:1])
    )
    expected = conv.conv(x, weight, bias if has_bias else None)
    step = {"f32": 2**-20, "f16": 2**-9}[element]
    actual = function(x, weight, bias).astype(np.float64)
    np.testing.assert_allclose(actual, expected, rtol=step, atol=step)

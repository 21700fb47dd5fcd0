# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of attention add up to the whole, whether or not their sizes divide it."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from attention_cases import Shape, check, inputs, module, run
from posenc.reference.attention import attention

SCRIPT = """module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
    %attention = transform.structured.match ops{{["posenc.attention"]}} in %root
      : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:{count} = transform.structured.tile_using_for %attention tile_sizes {sizes}
      : (!transform.any_op) -> ({types})
    transform.yield
  }}
}}"""

# Everything that reads an index: a bias of all four, a mask of rows and keys, rotations of rows
# and of key heads.
REGIONS = """score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %bias[%b, %h, %i, %j] : tensor<3x6x5x7xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %two = arith.constant 2 : index
        %last = arith.addi %i, %two : index
        %visible = arith.cmpi sle, %j, %last : index
        posenc.yield %visible : i1
      }
      rotate_query(%b, %h, %i, %pair) {
        %c = tensor.extract %cos[%h, %i, %pair] : tensor<6x7x4xf32>
        %s = tensor.extract %sin[%h, %i, %pair] : tensor<6x7x4xf32>
        posenc.yield %c, %s : f32, f32
      }
      rotate_key(%b, %g, %j, %pair) {
        %c = tensor.extract %cos[%g, %j, %pair] : tensor<6x7x4xf32>
        %s = tensor.extract %sin[%g, %j, %pair] : tensor<6x7x4xf32>
        posenc.yield %c, %s : f32, f32
      }"""


def turned(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    """x [b, h, l, 8], its halves turned by the angles of [h, l, 4]."""
    cos, sin = (t[: x.shape[1], : x.shape[2]] for t in (cos, sin))
    first, second = x[..., :4].astype(np.float64), x[..., 4:].astype(np.float64)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], -1)


@pytest.mark.parametrize(
    "key_heads, sizes",
    [
        (2, (2, 3, 2)),
        (2, (0, 1, 3)),
        (2, (1, 6, 0)),
        (3, (0, 2, 2)),
        (3, (2, 1, 1)),
        (6, (2, 4, 3)),
        (1, (0, 2, 4)),
    ],
)
@pytest.mark.parametrize("layouts", [("bhld",) * 4, ("blhd", "bhld", "blhd", "blhd")])
def test_tiles_add_up(
    key_heads: int, sizes: tuple[int, ...], layouts: tuple[str, ...], tmp_path: pathlib.Path
) -> None:
    shape = Shape(3, 6, key_heads, 5, 7, 8, 6, layouts)
    q, k, v = inputs(shape)
    rng = np.random.default_rng(1)
    bias = rng.standard_normal((3, 6, 5, 7)).astype(np.float32)
    angle = rng.standard_normal((6, 7, 4))
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    sinks = rng.standard_normal(6).astype(np.float32)
    lanes = "(<half, first = 0, count = 8>)"
    text = module(
        shape,
        extra_arguments=", %bias: tensor<3x6x5x7xf32>, %cos: tensor<6x7x4xf32>, "
        "%sin: tensor<6x7x4xf32>, %sinks: tensor<6xf32>",
        clauses="sinks(%sinks : tensor<6xf32>)",
        lanes=f"query_lanes{lanes} key_lanes{lanes}",
        regions=REGIONS,
        logsumexp=True,
    )
    count = sum(size != 0 for size in sizes)
    script = tmp_path / "tile.mlir"
    script.write_text(
        SCRIPT.format(
            count=count,
            sizes=list(sizes),
            types=", ".join(["!transform.any_op"] * (count + 1)),
        )
    )
    output, lse = run(
        text,
        tmp_path,
        shape,
        [q, k, v],
        bias,
        cos,
        sin,
        sinks,
        logsumexp=True,
        passes=(
            f"--transform-preload-library=transform-library-paths={script}",
            "--transform-interpreter",
        ),
    )
    mask = np.tri(5, 7, k=2, dtype=bool)
    expected, expected_lse = attention(
        turned(q, cos, sin),
        turned(k, cos, sin),
        v,
        scale=0.5,
        bias=bias,
        mask=mask,
        sinks=sinks,
        return_logsumexp=True,
    )
    check(output, expected, v)
    np.testing.assert_allclose(lse, expected_lse, atol=2e-6)

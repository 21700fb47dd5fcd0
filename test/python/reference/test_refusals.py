# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the oracle refuses, with messages that name the thing; and what it imports."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from posenc.reference import (
    add,
    alibi,
    causal,
    document,
    frequencies,
    learned,
    multi_axis,
    padding,
    query_temperature,
    rotary,
    sinusoidal,
    window,
    xpos,
)
from posenc.reference.attention import attention

LLAMA3 = {
    "factor": 8,
    "low_freq_factor": 1,
    "high_freq_factor": 4,
    "original_max_position": 8192,
}
TABLE = np.arange(6.0).reshape(3, 2)


def longrope(**changes):
    lists = {"short_factor": [1.0, 2.0], "long_factor": [1.0, 4.0]}
    return frequencies.longrope(
        4, 1e4, original_max_position=8, length=8, **(lists | changes)
    )


def attend(shape_q=(1, 4, 3, 8), shape_k=(1, 2, 5, 8), shape_v=None, **settings):
    shape_v = shape_k if shape_v is None else shape_v
    return attention(np.ones(shape_q), np.ones(shape_k), np.ones(shape_v), **settings)


def sines(dim: int, **changes) -> np.ndarray:
    settings = {"layout": "interleaved", "exponents": "paper"} | changes
    return sinusoidal.sinusoidal(np.arange(3), dim, **settings)


def turn(lanes: str = "half", **settings) -> np.ndarray:
    tables = np.ones((3, 4))
    return rotary.rotate(np.ones((1, 1, 3, 8)), tables, tables, lanes=lanes, **settings)


REFUSALS = {
    "heads do not divide": (
        lambda: attend(shape_k=(1, 3, 5, 8)),
        "4 query heads do not divide into groups over 3 kv heads",
    ),
    "head sizes differ": (lambda: attend(shape_k=(1, 2, 5, 4)), "head size must agree"),
    "batches differ": (lambda: attend(shape_k=(2, 2, 5, 8)), "batch and head size"),
    "rank": (lambda: attend(shape_q=(4, 3, 8)), r"query has shape \(4, 3, 8\)"),
    "value length": (lambda: attend(shape_v=(1, 2, 4, 8)), "value has shape"),
    "additive mask": (lambda: attend(mask=np.zeros((3, 5))), "mask has type float64"),
    "mask shape": (
        lambda: attend(mask=np.ones((3, 4), dtype=bool)),
        r"mask has shape \(3, 4\), which does not broadcast",
    ),
    "bias shape": (lambda: attend(bias=np.ones((2, 3, 5))), "bias has shape"),
    "sinks": (lambda: attend(sinks=np.ones(2)), r"4 query heads need \[4\]"),
    "soft cap": (lambda: attend(soft_cap=0.0), "soft_cap is 0.0"),
    "empty rows": (lambda: attend(empty_rows="nan"), "empty_rows is 'nan'"),
    "lanes": (lambda: turn("neox"), "lanes is 'neox'"),
    "side": (lambda: turn(side="left"), "side is 'left'"),
    "rotary dim above head": (lambda: turn(rotary_dim=10), "the head has 8 lanes"),
    "rotary dim below tables": (
        lambda: turn(rotary_dim=4),
        r"3 tokens with 2 pairs need \[3, 2\] or \[1, 3, 2\]",
    ),
    "base": (lambda: frequencies.default(8, 0), "base is 0"),
    "factor": (lambda: frequencies.linear(8, 1e4, -1), "factor is -1"),
    "alpha": (lambda: frequencies.ntk(8, 1e4, 0), "alpha is 0"),
    "one pair": (lambda: frequencies.ntk(2, 1e4, 2), "rotary_dim is 2"),
    "dynamic factor": (
        lambda: frequencies.dynamic_ntk(
            8, 1e4, factor=0.5, original_max_position=8, length=9
        ),
        "factor is 0.5",
    ),
    "yarn factor": (
        lambda: frequencies.yarn(8, 1e4, factor=0, original_max_position=8),
        "factor is 0",
    ),
    "divisors": (lambda: longrope(short_factor=[1.0], factor=2.0), "1 divisors for 2 pairs"),
    "no factor": (lambda: longrope(), "neither factor nor attention_factor"),
    "fraction": (lambda: frequencies.proportional(8, 1e4, fraction=2), "fraction is 2"),
    "spacing": (lambda: frequencies.pixel(4, 10, spacing="even"), "spacing is 'even'"),
    "sections": (
        lambda: multi_axis.mrope(np.ones((2, 3)), np.ones(4), [2, 2], order="mixed"),
        "order is 'mixed'",
    ),
    "role": (
        lambda: xpos.decay(np.arange(3), 8, role="value", centre=0, scale_base=512),
        "role is 'value'",
    ),
    "original length": (
        lambda: query_temperature.factors(
            np.arange(3), beta=0.1, original_length=0, position_shift=1
        ),
        "original_length is 0",
    ),
    "llama3 factors": (
        lambda: frequencies.llama3(8, 1e4, **LLAMA3 | {"high_freq_factor": 1}),
        "greater than low_freq_factor",
    ),
    "odd width": (lambda: sines(5), r"odd \(dim is 5\) is None"),
    "layout": (lambda: sines(4, layout="split"), "layout is 'split'"),
    "exponents": (lambda: sines(4, exponents="half"), "exponents is 'half'"),
    "timestep shift": (
        lambda: sinusoidal.timestep(np.ones(1), 2, flip_sin_to_cos=False, downscale_freq_shift=1),
        "dim // 2 - downscale_freq_shift is 0",
    ),
    "learned rule": (
        lambda: learned.learned(TABLE, np.arange(3), out_of_range="wrap"),
        "out_of_range is 'wrap'",
    ),
    "add": (
        lambda: add.add(np.ones((2, 3, 4)), np.ones((5, 4))),
        r"the encoding has shape \(5, 4\)",
    ),
    "slopes": (lambda: alibi.slopes(0), "heads is 0"),
    "window": (
        lambda: window.window(2, 2, left=-1, right=0, offset=0),
        "left is -1; a distance is at least 0",
    ),
    "negative size": (lambda: causal.causal(-1, 2, offset=0), "-1 queries"),
    "offset": (lambda: causal.causal(1, 2, offset=np.ones((1, 1))), "offset has shape"),
    "length": (
        lambda: padding.padding(np.array([5]), 4, side="right"),
        "length 5 is outside 0 ... 4",
    ),
    "padding side": (
        lambda: padding.padding(np.array([1]), 4, side="both"),
        "side is 'both'",
    ),
    "boundaries": (
        lambda: document.ids_from_cumulative_lengths(np.array([0, 3]), 4),
        "must ascend from 0 to 4",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refuses(name: str) -> None:
    call, message = REFUSALS[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_learned_rows_out_of_range() -> None:
    with pytest.raises(IndexError, match=r"row 3 .* outside the table of 3 rows"):
        learned.learned(TABLE, np.array([1]), row_offset=2)
    with pytest.raises(IndexError, match="row -1"):
        learned.learned(TABLE, np.array([-1]))
    rows = learned.learned(TABLE, np.array([-1, 1, 7]), out_of_range="clamp")
    assert rows.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_add_scales_the_embeddings_only() -> None:
    total = add.add(np.ones((2, 1, 2)), np.array([[10.0, 20.0]]), embedding_scale=3)
    assert total.tolist() == [[[13, 23]], [[13, 23]]]


def test_odd_widths() -> None:
    """A column of zeros in tensor2tensor, one sine more in Marian."""
    positions = {"layout": "concatenated", "exponents": "paper"}
    zeros = sines(5, odd="zero_column", **positions)
    sine = sines(5, odd="extra_sine", **positions)
    frequency = 10000.0 ** (-np.array([0, 2, 4]) / 5)
    angles = np.arange(3)[:, np.newaxis] * frequency
    np.testing.assert_allclose(sine[:, :3], np.sin(angles), atol=1e-15)
    np.testing.assert_allclose(sine[:, 3:], np.cos(angles[:, :2]), atol=1e-15)
    assert (zeros[:, 4] == 0).all()
    np.testing.assert_allclose(zeros[:, 2:4], np.cos(angles[:, :2]), atol=1e-15)


def test_width_two_has_one_frequency() -> None:
    """tensor2tensor's exponent k / (h - 1) is guarded at h = 1."""
    table = sines(2, layout="concatenated", exponents="tensor2tensor")
    np.testing.assert_allclose(table[:, 0], np.sin(np.arange(3)), atol=1e-15)


def test_imports_numpy_only() -> None:
    program = (
        "import sys, posenc.reference; "
        "tops = {name.partition('.')[0] for name in sys.modules}; "
        "print(*sorted(tops - set(sys.stdlib_module_names)))"
    )
    before = subprocess.run(
        [sys.executable, "-c", program.replace(", posenc.reference", ", numpy")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    after = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(after) - set(before) == {"posenc"}

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element formulas of score biases against the reference in float64."""

from __future__ import annotations

import numpy as np
import pytest

from formulas import evaluate
from posenc.reference import (
    alibi,
    bucketed_bias,
    fire,
    forgetting,
    kerple,
    relative_bias,
    relative_bias_2d,
    sandwich,
)
from test_formulas import check, grid
from tools import FLOATS, NUMPY


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("later_keys", ["zero", "symmetric"])
@pytest.mark.parametrize("kernel", ["log", "power"])
def test_kerple(kernel: str, later_keys: str, clamp: bool) -> None:
    # One of each is below the least, and one exponent above the greatest.
    p, a = np.array([0.5, 2.5, 0.001], np.float32), np.array([0.001, 1.5, 0.25], np.float32)
    actual = evaluate(
        f"posenc.kerple {{p}}, {{a}} offset({{o}}) kernel(<{kernel}>) later_keys(<{later_keys}>) "
        f"{'clamp' if clamp else ''} : {{p.type}}, {{a.type}} -> tensor<1x3x4x7xf32>",
        p=p, a=a, o=2,
    )  # fmt: skip
    expected = kerple.bias(
        p, a, 4, 7, kernel=kernel, later_keys=later_keys, clamp=clamp, offset=2
    )
    check(actual[0], expected, roundings=2)  # of the least, of the product


@pytest.mark.parametrize("heads", [1, 6, 12])
@pytest.mark.parametrize("width, base", [(128, 10000.0), (2, 10000.0), (6, 50.0)])
def test_sandwich(heads: int, width: int, base: float) -> None:
    actual = evaluate(
        f"posenc.sandwich offset({{o}}) {{{{base = {base} : f64, max_ratio = 4.0 : f64, "
        f"width = {width} : i64}}}} : tensor<1x{heads}x3x70xf32>",
        o=1,
    )
    ratios = sandwich.ratios(heads, max_ratio=4.0)
    check(actual[0], sandwich.bias(ratios, 3, 70, width=width, base=base, offset=1), roundings=2)


def test_sandwich_ratios() -> None:
    ratios = np.array([0.5, 3.0], np.float32)
    actual = evaluate(
        "posenc.sandwich ratios({r} : {r.type}) {{width = 8 : i64}} : tensor<1x2x4x4xf32>", r=ratios
    )
    check(actual[0], sandwich.bias(ratios, 4, 4, width=8, offset=0))


@pytest.mark.parametrize("scale, threshold", [(0.125, 2.5), (-2.0, 512.0), (1.0, 0.0)])
@pytest.mark.parametrize("first", [0, 1])
def test_fire(rng: np.random.Generator, first: int, scale: float, threshold: float) -> None:
    w0, b0, w1, b1 = (grid(rng, shape) for shape in ((6,), (6,), (3, 6), (3,)))
    # Where the first position is 0, epsilon is all that row 0 is divided by.
    epsilon = 0.125
    actual = evaluate(
        "posenc.fire hidden({w0}, {b0} : {w0.type}, {b0.type}) "
        "output({w1}, {b1} : {w1.type}, {b1.type}) scale({c}) threshold({t}) offset({o}) "
        f"{{{{epsilon = {epsilon} : f64, first_position = {first} : i64}}}} : tensor<1x3x4x6xf32>",
        w0=w0, b0=b0, w1=w1, b1=b1, c=scale, t=threshold, o=2 - 2 * first,
    )  # fmt: skip
    expected = fire.bias(
        (w0, b0), (w1, b1), 4, 6, scale=scale, threshold=threshold, first_position=first,
        epsilon=epsilon, offset=2 - 2 * first,
    )  # fmt: skip
    check(actual[0], expected)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("offset", [0, 3])
def test_forgetting(rng: np.random.Generator, offset: int, bidirectional: bool) -> None:
    gates, later = (-np.abs(grid(rng, (2, 3, 7))) for _ in range(2))
    sums, backward = (np.cumsum(x, axis=-1, dtype=np.float32) for x in (gates, later))
    clause = "backward({b} : {b.type})" if bidirectional else ""
    actual = evaluate(
        f"posenc.forgetting {{s}} {clause} offset({{o}}) : {{s.type}} -> tensor<2x3x4x7xf32>",
        s=sums, b=backward, o=offset,
    )  # fmt: skip
    extra = {"later_log_gates": later} if bidirectional else {}
    check(actual, forgetting.bias(gates, 4, offset=offset, **extra))


def test_forgetting_beyond_the_keys(rng: np.random.Generator) -> None:
    """A formula is total: a query that is no key row takes the nearest."""
    sums = grid(rng, (1, 1, 3))
    text = "posenc.forgetting {s} offset({o}) : {s.type} -> tensor<1x1x2x3xf32>"
    for offset in (-2, 2):
        expected = forgetting.bias_of_sums(sums, 2, offset=offset)
        check(evaluate(text, s=sums, o=offset), expected)


@pytest.mark.parametrize("storage", FLOATS)
@pytest.mark.parametrize("outside", ["clip", "zero"])
@pytest.mark.parametrize("sign", ["key_minus_query", "query_minus_key"])
def test_relative_bias(rng: np.random.Generator, sign: str, outside: str, storage: str) -> None:
    table = grid(rng, (4, 3), NUMPY[storage])
    for origin in (0, 1, 3, -9):
        actual = evaluate(
            f"posenc.relative_bias {{t}} origin({{z}}) offset({{o}}) sign(<{sign}>) "
            f"outside(<{outside}>) : {{t.type}} -> tensor<1x3x5x7xf32>",
            t=table, z=origin, o=1,
        )  # fmt: skip
        expected = relative_bias.bias(
            table, 5, 7, origin=origin, sign=sign, outside=outside, offset=1
        )
        check(actual[0], expected, roundings=0)


@pytest.mark.parametrize("storage", FLOATS)
@pytest.mark.parametrize("class_token", [False, True])
@pytest.mark.parametrize("window", [(2, 3), (4, 1), (1, 1), (3, 3)])
def test_relative_bias_2d(
    rng: np.random.Generator, window: tuple[int, int], class_token: bool, storage: str
) -> None:
    tokens = window[0] * window[1] + class_token
    rows = (2 * window[0] - 1) * (2 * window[1] - 1) + 3 * class_token
    table = grid(rng, (rows, 2), NUMPY[storage])
    actual = evaluate(
        f"posenc.relative_bias_2d {{t}} {'class_token' if class_token else ''} "
        f"{{{{window = array<i64: {window[0]}, {window[1]}>}}}} "
        f": {{t.type}} -> tensor<1x2x{tokens}x{tokens}xf32>",
        t=table,
    )
    expected = relative_bias_2d.bias(table, window, class_token=class_token)
    check(actual[0], expected, roundings=0)


@pytest.mark.parametrize("spacing", ["window", "natural"])
@pytest.mark.parametrize("window, pretrained", [((2, 3), None), ((1, 4), None), ((3, 5), (8, 12))])
def test_log_spaced_coordinates(window, pretrained, spacing: str) -> None:
    if spacing == "natural":
        pretrained = None
    clause = ""
    if pretrained:
        clause = f"pretrained_window = array<i64: {pretrained[0]}, {pretrained[1]}>, "
    expected = relative_bias_2d.log_spaced_coordinates(
        window, pretrained_window=pretrained, spacing=spacing
    )
    actual = evaluate(
        f"posenc.log_spaced_coordinates spacing(<{spacing}>) "
        f"{{{{{clause}window = array<i64: {window[0]}, {window[1]}>}}}} "
        f": tensor<{len(expected)}x2xf32>"
    )
    check(actual, expected)


def test_alibi_two_sided(rng: np.random.Generator) -> None:
    slopes, later = grid(rng, (3,)), grid(rng, (3,))
    actual = evaluate(
        "posenc.alibi offset({o}) slopes({s} : {s.type}) later_slopes({l} : {l.type}) "
        ": tensor<1x3x4x6xf32>",
        s=slopes, l=later, o=1,
    )  # fmt: skip
    check(actual[0], alibi.two_sided_bias(slopes, later, 4, 6, offset=1))


@pytest.mark.parametrize("total, first", [(40, 10), (6, 2), (6, 4), (8, 0)])
def test_alibi_shard(total: int, first: int) -> None:
    """A shard has the slopes that the whole model's rule gives its heads."""
    actual = evaluate(
        f"posenc.alibi first_head({{f}}) symmetric {{{{total_heads = {total} : i64}}}} "
        ": tensor<1x2x3x5xf32>",
        f=first,
    )
    whole = alibi.slopes(total)
    expected = alibi.bias(whole[first : first + 2], 3, 5, offset=0, symmetric=True)
    check(actual[0], expected, roundings=2)


def test_bucketed_bias_gate(rng: np.random.Generator) -> None:
    table, gate = grid(rng, (8, 3)), grid(rng, (2, 3, 4))
    actual = evaluate(
        "posenc.bucketed_bias {t} gate({g} : {g.type}) bidirectional {{max_distance = 20 : i64}} "
        ": {t.type} -> tensor<2x3x4x9xf32>",
        t=table, g=gate,
    )  # fmt: skip
    bias = bucketed_bias.bias(table, 4, 9, max_distance=20, bidirectional=True, offset=0)
    check(actual, gate[..., np.newaxis] * bias)

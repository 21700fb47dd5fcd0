# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element formula of every encoding against the reference in float64.

Formulas are evaluated in float64 on tables that were rounded to f32, so results
agree to one rounding to f32; integers and masks agree exactly.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from formulas import evaluate, evaluate_each
from posenc.reference import (
    add,
    alibi,
    bucketed_bias,
    causal,
    document,
    frequencies,
    learned,
    padding,
    rotary,
    sinusoidal,
    window,
)
from tools import FLOATS, NUMPY


def check(actual: np.ndarray, expected: np.ndarray, *, roundings: float = 1) -> None:
    """Fails unless `actual` is `expected` up to roundings to its own type."""
    assert actual.shape == expected.shape
    if actual.dtype == np.bool_:
        np.testing.assert_array_equal(actual, expected)
        return
    half_ulp = float(ml_dtypes.finfo(actual.dtype).eps) / 2
    largest = np.max(np.abs(expected), initial=1e-30)
    error = np.abs(actual.astype(np.float64) - expected)
    assert np.max(error, initial=0) <= 1.01 * roundings * half_ulp * largest


def grid(rng: np.random.Generator, shape: tuple[int, ...], dtype: type = np.float32):
    """Signed numbers that every storage type holds exactly."""
    return (rng.integers(-127, 128, shape) / 32).astype(dtype)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


POSITIONS = np.array([0, 1, 5, 1000, 131071, 1048575], np.int64)


@pytest.mark.parametrize("cos_first", [False, True])
@pytest.mark.parametrize("odd", ["zero_column", "extra_sine"])
@pytest.mark.parametrize("width", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("order", ["interleaved", "concatenated"])
@pytest.mark.parametrize("rule", ["paper", "tensor2tensor"])
def test_sinusoidal(rule: str, order: str, width: int, odd: str, cos_first: bool) -> None:
    if rule == "tensor2tensor" and width == 3 and odd == "extra_sine":
        pytest.skip("two frequencies over a span of h - 1 = 0: refused")
    exponents, shift = "model_dim", ""
    if rule == "tensor2tensor":
        exponents, shift = "half_dim", "shift = 1.0 : f64, "
    actual = evaluate(
        f"posenc.sinusoidal positions({{m}} : {{m.type}}) order(<{order}>) "
        f"exponents(<{exponents}>) odd(<{odd}>) {'cos_first' if cos_first else ''} "
        f"{{{{{shift}scale = 0.75 : f64, base = 5000.0 : f64}}}} : tensor<6x{width}xf32>",
        m=POSITIONS,
    )
    expected = sinusoidal.sinusoidal(
        POSITIONS,
        width,
        layout=order,
        exponents=rule,
        base=5000.0,
        odd=odd,
        cos_first=cos_first,
        scale=0.75,
    )
    check(actual, expected)


def test_sinusoidal_positions_and_padding() -> None:
    positions = np.array([[1, 1, 2, 3], [2, 3, 4, 1]], np.int32)
    text = (
        "posenc.sinusoidal positions({m} : {m.type}) order(<concatenated>) "
        "exponents(<half_dim>) {{shift = 1.0 : f64, padding_position = 1 : i64}} "
        ": tensor<2x4x6xf32>"
    )
    rule = {"layout": "concatenated", "exponents": "tensor2tensor", "padding_idx": 1}
    check(evaluate(text, m=positions), sinusoidal.sinusoidal(positions, 6, **rule))
    shared = np.broadcast_to(positions[:1], (2, 4))
    check(evaluate(text, m=positions[:1]), sinusoidal.sinusoidal(shared, 6, **rule))
    check(evaluate(text, m=positions[0]), sinusoidal.sinusoidal(shared, 6, **rule))


def test_sinusoidal_offset() -> None:
    actual = evaluate(
        "posenc.sinusoidal offset({o}) order(<interleaved>) exponents(<model_dim>) "
        ": tensor<5x4xf32>",
        o=7,
    )
    expected = sinusoidal.sinusoidal(np.arange(7, 12), 4, layout="interleaved", exponents="paper")
    check(actual, expected)


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("width", [2, 7, 8])
def test_timestep(width: int, flip: bool, shift: float) -> None:
    if width == 2 and shift == 1.0:
        pytest.skip("one frequency spans nothing: refused")
    times = np.array([0.0, 0.25, 17.5, 999.0], np.float32)
    actual = evaluate(
        f"posenc.sinusoidal positions({{t}} : {{t.type}}) order(<concatenated>) "
        f"exponents(<half_dim>) odd(<zero_column>) {'cos_first' if flip else ''} "
        f"{{{{shift = {shift} : f64, angle_scale = 1000.0 : f64}}}} "
        f": tensor<4x{width}xf32>",
        t=times,
    )
    expected = sinusoidal.timestep(
        times, width, flip_sin_to_cos=flip, downscale_freq_shift=shift, scale=1000.0
    )
    check(actual, expected)


@pytest.mark.parametrize("storage", FLOATS)
def test_learned(rng: np.random.Generator, storage: str) -> None:
    table = grid(rng, (9, 4), NUMPY[storage])
    positions = np.array([[0, 3, 6], [6, 1, 2]], np.int64)
    for result in {storage, "f32"}:
        actual = evaluate(
            "posenc.learned {t} positions({m} : {m.type}) out_of_range(<error>) "
            f"{{{{row_offset = 2 : i64}}}} : {{t.type}} -> tensor<2x3x4x{result}>",
            t=table,
            m=positions,
        )
        check(actual, learned.learned(table, positions, row_offset=2), roundings=0)


def test_learned_clamps(rng: np.random.Generator) -> None:
    table = grid(rng, (5, 3))
    positions = np.array([-7, -1, 0, 2, 3, 2**40], np.int64)
    for rule in ("clamp", "error"):  # A formula is total, whatever the rule.
        actual = evaluate(
            f"posenc.learned {{t}} positions({{m}} : {{m.type}}) out_of_range(<{rule}>) "
            "{{row_offset = 1 : i64}} : {t.type} -> tensor<6x3xf32>",
            t=table,
            m=positions,
        )
        expected = learned.learned(table, positions, row_offset=1, out_of_range="clamp")
        check(actual, expected, roundings=0)


@pytest.mark.parametrize("storage", FLOATS)
@pytest.mark.parametrize("shape", [(3, 4), (1, 3, 4), (2, 3, 4)])
def test_add(rng: np.random.Generator, storage: str, shape: tuple[int, ...]) -> None:
    x, encoding = grid(rng, (2, 3, 4), NUMPY[storage]), grid(rng, shape)
    actual = evaluate(
        "posenc.add {x}, {e} {{embedding_scale = 2.5 : f64}} : {x.type}, {e.type}",
        x=x,
        e=encoding,
    )
    check(actual, add.add(x, encoding, embedding_scale=2.5))


@pytest.mark.parametrize("heads", [1, 2, 3, 6, 8, 12, 40])
@pytest.mark.parametrize("symmetric", [False, True])
def test_alibi(heads: int, symmetric: bool) -> None:
    actual = evaluate(
        f"posenc.alibi offset({{o}}) {'symmetric' if symmetric else ''} "
        f"{{{{max_bias = 4.0 : f64}}}} : tensor<1x{heads}x3x5xf32>",
        o=2,
    )
    slopes = alibi.slopes(heads, max_bias=4.0)
    expected = alibi.bias(slopes, 3, 5, offset=2, symmetric=symmetric)
    check(actual[0], expected, roundings=2)  # of the slope, of the product


def test_alibi_slopes(rng: np.random.Generator) -> None:
    slopes = grid(rng, (5,))
    actual = evaluate("posenc.alibi slopes({s} : {s.type}) : tensor<1x5x4x4xf32>", s=slopes)
    check(actual[0], alibi.bias(slopes, 4, 4, offset=0, symmetric=False))


# T5, MPNet, WavLM, LongT5; then odd, tiny and sparse ones (buckets nothing falls into).
BUCKETS = [
    (32, 128), (64, 128), (320, 800), (32, 256), (32, 64), (16, 64),
    (4, 2), (4, 3), (6, 9), (10, 65536), (64, 33), (320, 65536),
]  # fmt: skip


@pytest.mark.parametrize("buckets, distance", BUCKETS)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_bucketed_bias(buckets: int, distance: int, bidirectional: bool) -> None:
    if distance <= buckets // (4 if bidirectional else 2):
        pytest.skip("no distance is left for the shared buckets: refused")
    starts = bucketed_bias.bucket_starts(buckets, distance, bidirectional=bidirectional)
    table = np.arange(buckets, dtype=np.float32)[:, np.newaxis]
    # A row at every edge of a bucket on either side, keys on both sides of the edge.
    edges = {0, *starts, distance, 3 * distance}
    offsets = [sign * edge + 1 for edge in sorted(edges) for sign in (1, -1)]
    results = evaluate_each(
        f"posenc.bucketed_bias {{t}} offset({{o}}) "
        f"{'bidirectional' if bidirectional else ''} "
        f"{{{{max_distance = {distance} : i64}}}} : {{t.type}} -> tensor<1x1x1x3xf32>",
        [{"t": table, "o": offset} for offset in offsets],
    )
    for offset, actual in zip(offsets, results, strict=True):
        expected = bucketed_bias.bias(
            table,
            1,
            3,
            max_distance=distance,
            bidirectional=bidirectional,
            offset=offset,
        )
        check(actual[0], expected, roundings=0)


@pytest.mark.parametrize("storage", FLOATS)
def test_bucketed_bias_heads(rng: np.random.Generator, storage: str) -> None:
    table = grid(rng, (32, 6), NUMPY[storage])
    actual = evaluate(
        "posenc.bucketed_bias {t} bidirectional {{max_distance = 128 : i64}} "
        ": {t.type} -> tensor<1x6x7x9xf32>",
        t=table,
    )
    expected = bucketed_bias.bias(table, 7, 9, max_distance=128, bidirectional=True, offset=0)
    check(actual[0], expected, roundings=0)


@pytest.mark.parametrize("offset", [None, -2, 0, 3])
def test_causal_and_window(offset: int | None) -> None:
    operands = {} if offset is None else {"o": offset}
    suffix = "" if offset is None else "offset({o})"
    at = {"offset": offset or 0}
    actual = evaluate(f"posenc.causal {suffix} : tensor<1x1x5x7xi1>", **operands)
    check(actual[0, 0], causal.causal(5, 7, **at))
    for left, right in ((0, 0), (2, 0), (1, 2), (None, 1), (3, None), (9, 9)):
        bounds = {"l": left, "r": right}
        bounds = {name: value for name, value in bounds.items() if value is not None}
        text = " ".join(f"{n}({{{n[0]}}})" for n in ("left", "right") if n[0] in bounds)
        actual = evaluate(
            f"posenc.window {text} {suffix} : tensor<1x1x5x7xi1>", **bounds, **operands
        )
        check(actual[0, 0], window.window(5, 7, left=left, right=right, **at))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_padding(side: str, dtype: type) -> None:
    lengths = np.array([0, 3, 5], dtype)
    flag = "left" if side == "left" else ""
    actual = evaluate(
        f"posenc.padding lengths({{n}} : {{n.type}}) {flag} : tensor<3x1x1x5xi1>",
        n=lengths,
    )
    check(actual, padding.padding(lengths, 5, side=side))


@pytest.mark.parametrize("batches", [(2, 2), (1, 2), (2, 1)])
def test_document(rng: np.random.Generator, batches: tuple[int, int]) -> None:
    query = rng.integers(0, 3, (batches[0], 4), np.int64)
    key = rng.integers(0, 3, (batches[1], 6), np.int64)
    actual = evaluate(
        "posenc.document query_ids({q} : {q.type}) key_ids({k} : {k.type}) : tensor<2x1x4x6xi1>",
        q=query,
        k=key,
    )
    check(actual, document.document(query, key))


LLAMA3 = (
    "#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 32.0, "
    "low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>>"
)


@pytest.mark.parametrize("lanes", ["half", "interleaved"])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("first, count", [(0, 8), (0, 4), (4, 4)])
def test_rotary(
    rng: np.random.Generator, lanes: str, inverse: bool, first: int, count: int
) -> None:
    x = grid(rng, (2, 3, 4, 8))
    positions = np.array([[0, 1, 2, 131071], [5, 1048575, 7, 8]], np.int64)
    side = "last" if first else "first"
    for frequencies_text, (inv_freq, factor) in (
        ("#posenc.frequencies<base = 10000.0>", frequencies.default(count, 10000.0)),
        (
            "#posenc.frequencies<base = 100.0, scaling = #posenc.linear<factor = 8.0>>",
            frequencies.linear(count, 100.0, 8.0),
        ),
        (
            LLAMA3,
            frequencies.llama3(
                count,
                500000.0,
                factor=32.0,
                low_freq_factor=1.0,
                high_freq_factor=4.0,
                original_max_position=8192,
            ),
        ),
        (
            f"#posenc.explicit_frequencies<{[0.5] * (count // 2)}, attention_factor = 1.25>",
            (np.full(count // 2, 0.5), 1.25),
        ),
    ):
        actual = evaluate(
            f"posenc.rotary {{x}} positions({{m}} : {{m.type}}) "
            f"lanes(<{lanes}, first = {first}, count = {count}>) "
            f"frequencies({frequencies_text}) {'inverse' if inverse else ''} : {{x.type}}",
            x=x,
            m=positions,
        )
        expected = rotary.rotary(
            x,
            positions,
            inv_freq,
            lanes=lanes,
            attention_factor=factor,
            side=side,
            inverse=inverse,
        )
        check(actual, expected)


@pytest.mark.parametrize("storage", FLOATS)
@pytest.mark.parametrize("layout", ["bhld", "blhd"])
def test_rotary_caches(rng: np.random.Generator, storage: str, layout: str) -> None:
    dtype = NUMPY[storage]
    x = grid(rng, (2, 3, 4, 8), dtype)
    cos, sin = grid(rng, (6, 4), dtype), grid(rng, (6, 4), dtype)
    positions = np.array([[0, 1, 2, 5], [3, 3, 0, 4]], np.int32)
    laid_out = np.ascontiguousarray(x.swapaxes(1, 2)) if layout == "blhd" else x
    by_position = evaluate(
        "posenc.rotary {x} positions({m} : {m.type}) cos({c} : {c.type}) "
        "sin({s} : {s.type}) lanes(<half, first = 0, count = 8>) "
        f"layout(<{layout}>) : {{x.type}}",
        x=laid_out, m=positions, c=cos, s=sin,
    )  # fmt: skip
    by_row = evaluate(
        "posenc.rotary {x} cos({c} : {c.type}) sin({s} : {s.type}) "
        f"lanes(<half, first = 0, count = 8>) layout(<{layout}>) : {{x.type}}",
        x=laid_out, c=cos[positions], s=sin[positions],
    )  # fmt: skip
    expected = rotary.rotate(x, cos[positions], sin[positions], lanes="half")
    for actual in (by_position, by_row):
        check(actual.swapaxes(1, 2) if layout == "blhd" else actual, expected)


def test_rotary_cache_rows_are_clamped(rng: np.random.Generator) -> None:
    x = grid(rng, (1, 1, 3, 4))
    cos, sin = grid(rng, (2, 2)), grid(rng, (2, 2))
    actual = evaluate(
        "posenc.rotary {x} positions({m} : {m.type}) cos({c} : {c.type}) "
        "sin({s} : {s.type}) lanes(<half, first = 0, count = 4>) : {x.type}",
        x=x, m=np.array([-5, 1, 9], np.int64), c=cos, s=sin,
    )  # fmt: skip
    rows = [0, 1, 1]
    check(actual, rotary.rotate(x, cos[rows], sin[rows], lanes="half"))

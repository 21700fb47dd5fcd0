# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element formulas of rotary variants against the reference in float64, as test_formulas."""

from __future__ import annotations

import numpy as np
import pytest

from compiled_attention import compiled
from formulas import evaluate, evaluate_each
from posenc.reference import frequencies, multi_axis, pope, query_temperature, rotary, xpos
from test_formulas import check, grid
from tools import FLOATS, NUMPY

POSITIONS = np.array([[0, 1, 2, 131071], [5, 1048575, 7, 8]], np.int64)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def roundings(factor: float) -> int:
    """Of the result, and of an attention factor that is no f32."""
    return 1 if factor == float(np.float32(factor)) else 2


def of_base(base: float, scaling: str) -> str:
    return f"#posenc.frequencies<base = {base}, scaling = {scaling}>"


YARN = "factor = {}, original_length = {}, beta_fast = 32.0, beta_slow = 1.0, truncate = {}"


def yarn(base: float, factor: float, original: int, truncate: bool = True, **more: float):
    text = YARN.format(factor, original, str(truncate).lower())
    text += "".join(f", {name} = {value}" for name, value in more.items())
    return of_base(base, f"#posenc.yarn<{text}>"), frequencies.yarn(
        16, base, factor=factor, original_max_position=original, truncate=truncate, **more
    )


# Of 16 lanes.
SCALED = {
    "ntk": (of_base(10000.0, "#posenc.ntk<alpha = 2.5>"), frequencies.ntk(16, 10000.0, 2.5)),
    "proportional": (
        of_base(1e6, "#posenc.proportional<fraction = 0.3, factor = 8.0>"),
        frequencies.proportional(16, 1e6, fraction=0.3, factor=8.0),
    ),
    "yarn": yarn(10000.0, 8.0, 2048),
    "yarn_reals": yarn(150000.0, 32.0, 4096, truncate=False),
    "yarn_clamped": yarn(10000.0, 8.0, 128),
    "yarn_equal": yarn(10000.0, 8.0, 4),
    "yarn_below_one": yarn(10000.0, 0.5, 4096),
    "yarn_explicit": yarn(10000.0, 8.0, 2048, attention_factor=1.25),
    "yarn_terms": yarn(10000.0, 16.0, 4096, mscale=0.8, mscale_all_dim=1.2),
    "yarn_zero_term": yarn(10000.0, 16.0, 4096, mscale=1.0, mscale_all_dim=0.0),
    "pixel": (
        "#posenc.pixel_frequencies<linear, max_frequency = 10.0>",
        frequencies.pixel(8, 10.0, spacing="linear"),
    ),
    "pixel_geometric": (
        "#posenc.pixel_frequencies<geometric, max_frequency = 224.0>",
        frequencies.pixel(8, 224.0, spacing="geometric"),
    ),
}


@pytest.mark.parametrize("name", SCALED)
def test_scaled_frequencies(rng: np.random.Generator, name: str) -> None:
    text, (inv_freq, factor) = SCALED[name]
    x = grid(rng, (2, 3, 4, 16))
    positions = POSITIONS
    if name.startswith("pixel"):
        positions = np.array([[-1, -0.5, 0.25, 1], [0.75, 0, 0.375, -0.125]], np.float32)
    actual = evaluate(
        "posenc.rotary {x} positions({m} : {m.type}) lanes(<half, first = 0, count = 16>) "
        f"frequencies({text}) : {{x.type}}",
        x=x,
        m=positions,
    )
    expected = rotary.rotary(x, positions, inv_freq, lanes="half", attention_factor=factor)
    check(actual, expected, roundings=roundings(factor))


SHORT = [1.0, 1.03125, 1.25, 1.5, 1.75, 2.0, 2.0, 2.25]
LONG = [1.0, 2.5, 3.0, 4.5, 8.0, 16.0, 30.25, 64.0]
LISTS = f"short_factor = {SHORT}, long_factor = {LONG}, original_length = 8"


def longrope(length: int, **more: float) -> tuple[np.ndarray, float]:
    return frequencies.longrope(
        16,
        1e4,
        short_factor=SHORT,
        long_factor=LONG,
        original_max_position=8,
        length=length,
        **more,
    )


# At the original length nothing changes yet.
OF_LENGTH = {
    "dynamic_ntk": (
        "#posenc.dynamic_ntk<factor = 4.0, original_length = 8>",
        lambda n: frequencies.dynamic_ntk(16, 1e4, factor=4.0, original_max_position=8, length=n),
    ),
    "longrope": (f"#posenc.longrope<{LISTS}, factor = 32.0>", lambda n: longrope(n, factor=32.0)),
    "longrope_explicit": (
        f"#posenc.longrope<{LISTS}, attention_factor = 1.5>",
        lambda n: longrope(n, attention_factor=1.5),
    ),
}


@pytest.mark.parametrize("name", OF_LENGTH)
def test_frequencies_of_length(rng: np.random.Generator, name: str) -> None:
    text, expected = OF_LENGTH[name]
    x = grid(rng, (2, 3, 4, 16))
    lengths = [0, 1, 8, 9, 33, 1048576]
    results = evaluate_each(
        "posenc.rotary {x} positions({m} : {m.type}) length({n}) "
        "lanes(<half, first = 0, count = 16>) "
        f"frequencies({of_base(1e4, text)}) : {{x.type}}",
        [{"x": x, "m": POSITIONS, "n": length} for length in lengths],
    )
    for length, actual in zip(lengths, results, strict=True):
        inv_freq, factor = expected(length)
        check(
            actual,
            rotary.rotary(x, POSITIONS, inv_freq, lanes="half", attention_factor=factor),
            roundings=roundings(factor),
        )


BASE = frequencies.default(16, 1e4)[0]


def mrope(sections: list[int], order: str):
    return lambda m: multi_axis.mrope(m[: len(sections)], BASE, sections, order=order)


# Attribute, number of axes, angles of positions [axes, B or 1, L].
SECTIONS = {
    "chunked": ("chunked, [2, 3, 3], ordinary", 3, mrope([2, 3, 3], "chunked")),
    "fourth_stream": ("chunked, [2, 3, 3, 0], ordinary", 4, mrope([2, 3, 3], "chunked")),
    "interleaved": ("interleaved, [4, 2, 2], ordinary", 3, mrope([4, 2, 2], "interleaved")),
    "interleaved_past": ("interleaved, [2, 3, 3], ordinary", 3, mrope([2, 3, 3], "interleaved")),
    "strided": ("chunked, [4, 4], strided", 2, lambda m: multi_axis.strided(m, BASE)),
    "restarting": (
        "chunked, [2, 3, 3], restarting", 3,
        lambda m: multi_axis.restarting(m, [frequencies.default(n, 1e4)[0] for n in (4, 6, 6)]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("shared", [False, True], ids=["each", "shared"])
@pytest.mark.parametrize("name", SECTIONS)
def test_sections(rng: np.random.Generator, name: str, shared: bool) -> None:
    text, axes, angles = SECTIONS[name]
    x = grid(rng, (2, 5, 3, 16))
    positions = rng.integers(0, 5000, (axes, 1 if shared else 2, 5))
    for m in (positions, (positions / 4 - 600).astype(np.float32)):
        actual = evaluate(
            "posenc.rotary {x} positions({m} : {m.type}) lanes(<half, first = 0, count = 16>) "
            "frequencies(#posenc.frequencies<base = 10000.0>) "
            f"sections(<{text}>) layout(<blhd>) : {{x.type}}",
            x=x,
            m=m,
        )
        cos, sin = np.cos(angles(m)), np.sin(angles(m))
        expected = rotary.rotate(x.swapaxes(1, 2), cos, sin, lanes="half")
        check(actual, expected.swapaxes(1, 2))


@pytest.mark.parametrize("role", ["query", "key"])
def test_xpos(rng: np.random.Generator, role: str) -> None:
    x = grid(rng, (2, 3, 4, 16))
    positions = np.array([[0, 1, 40, 700], [2000, 5, 7, 8]], np.int64)
    actual = evaluate(
        "posenc.rotary {x} positions({m} : {m.type}) centre({c}) "
        "lanes(<interleaved, first = 0, count = 16>) "
        "frequencies(#posenc.frequencies<base = 10000.0>) "
        f"decay(<{role}, scale_base = 64.0>) : {{x.type}}",
        x=x,
        m=positions,
        c=350,
    )
    decay = xpos.decay(positions, 16, role=role, centre=350, scale_base=64.0)
    cos, sin = (table * decay for table in rotary.cos_sin(positions, BASE))
    expected = rotary.rotate(x, cos, sin, lanes="interleaved")
    # A row at a time: they grow apart by orders of magnitude.
    for row in np.ndindex(2, 4):
        at = (row[0], slice(None), row[1])
        check(actual[at], expected[at])


@pytest.mark.parametrize("storage", FLOATS)
@pytest.mark.parametrize("shift", [0, 1])
def test_query_temperature(rng: np.random.Generator, storage: str, shift: int) -> None:
    x = grid(rng, (1, 2, 7, 8), NUMPY[storage])
    positions = np.array([0, 6, 7, 8, 15, 16, 1048575], np.int64)
    factors = query_temperature.factors(
        positions, beta=0.25, original_length=8, position_shift=shift
    )
    kind = f"tensor<1x2x7x8x{storage}>"
    text = f"""
func.func @whole(%q: {kind}, %m: tensor<7xi64>) -> {kind} {{
  %y = posenc.query_temperature %q positions(%m : tensor<7xi64>)
      lanes(<half, first = 0, count = 8>)
      {{beta = 0.25 : f64, original_length = 8 : i64, position_shift = {shift} : i64}} : {kind}
  return %y : {kind}
}}"""
    expected = x.astype(np.float64) * factors[:, np.newaxis]
    check(compiled(text)(x, positions), expected, roundings=4)


@pytest.mark.parametrize("with_phase", [False, True], ids=["query", "key"])
@pytest.mark.parametrize("storage", FLOATS)
def test_pope(rng: np.random.Generator, storage: str, with_phase: bool) -> None:
    x = grid(rng, (2, 3, 4, 8), NUMPY[storage])
    phase = rng.uniform(-9, 2, (3, 8)).astype(np.float32)
    inv_freq = frequencies.default(16, 1e4)[0]
    actual = evaluate(
        "posenc.pope {x} positions({m} : {m.type}) "
        + ("phase({p} : {p.type}) " if with_phase else "")
        + "frequencies(#posenc.frequencies<base = 10000.0>) : {x.type} -> "
        f"tensor<2x3x4x16x{storage}>",
        x=x,
        m=POSITIONS,
        p=phase,
    )
    expected = pope.pope(x, POSITIONS, inv_freq, phase=phase if with_phase else None)
    # The end of the clamped range, -2 pi, is rounded too.
    check(actual, expected, roundings=4 if with_phase else 1)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the math functions of math.mlir against float64."""

from __future__ import annotations

import math
import sys

import ml_dtypes
import numpy as np
from library import Library

TINY = 2.0**-126  # tasks flush denormals
CORNERS = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    0.5,
    1e-30,
    3e38,
    -3e38,
    88.7,
    88.8,
    -87.3,
    -103.9,
    128.0,
    -149.0,
    TINY,
]

# Name, reference, errors allowed in ulp, range of the samples (in log2 of the
# magnitude), whether negative samples too.
FUNCTIONS = [
    ("exp", np.exp, 2, (-20, 6.47), True),
    ("exp2", np.exp2, 2, (-20, 7), True),
    ("expm1", np.expm1, 4, (-30, 6.47), True),
    ("log", np.log, 2, (-126, 128), False),
    ("log2", np.log2, 3, (-126, 128), False),
    ("log10", np.log10, 3, (-126, 128), False),
    ("log1p", np.log1p, 4, (-30, 100), False),
    ("tanh", np.tanh, 3, (-30, 5), True),
    ("erf", np.vectorize(math.erf), 3, (-30, 4), True),
    ("sin", np.sin, None, (-30, 20), True),
    ("cos", np.cos, None, (-30, 20), True),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 1.6, (-126, 128), False),
    ("sqrt", np.sqrt, 0.6, (-126, 128), False),
    ("floor", np.floor, 0, (-10, 40), True),
    ("ceil", np.ceil, 0, (-10, 40), True),
    ("round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), 0, (-10, 20), True),
    ("roundeven", np.rint, 0, (-10, 40), True),
    ("atan", np.arctan, 3, (-30, 30), True),
]


def check(
    name: str, got: np.ndarray, expected: np.ndarray, ulps: float | None, x: np.ndarray
) -> None:
    """Fails where `got` is off by more than `ulps`, or 1.2e-7 where that is None."""
    rounded = expected.astype(np.float32)
    special = ~np.isfinite(rounded)
    wrong = special & ~((got == rounded) | (np.isnan(got) & np.isnan(rounded)))
    spacing = np.spacing(np.maximum(np.abs(rounded), TINY).astype(np.float32)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.abs(got.astype(np.float64) - expected)
        flushed = (np.abs(expected) <= TINY) & (np.abs(got) <= TINY)
        limit = 1.2e-7 if ulps is None else ulps * spacing
        wrong |= ~special & ~flushed & ~(error <= limit)
        worst = np.nanmax(
            np.where(special | flushed, 0, error if ulps is None else error / spacing)
        )
    print(f"{name}: worst error {worst:.3g}")
    assert not wrong.any(), (
        f"{name}({x[wrong][:5]}) = {got[wrong][:5]}, expected {expected[wrong][:5]}"
    )


def samples(
    rng: np.random.Generator, low: float, high: float, signed: bool, count: int
) -> np.ndarray:
    x = np.exp2(rng.uniform(low, high, count))
    if signed:
        x *= rng.choice([-1.0, 1.0], count)
    return np.minimum(x, 3.4e38).astype(np.float32)


def check_functions(library: Library, rng: np.random.Generator) -> None:
    for number, (name, reference, ulps, (low, high), signed) in enumerate(FUNCTIONS):
        x = np.concatenate(
            [samples(rng, low, high, signed, 100_003), np.array(CORNERS, np.float32)]
        )
        if name in ("sin", "cos"):
            x = x[~(np.abs(x) > 2.0**30) | ~np.isfinite(x)]
        results = [np.full_like(x, 7) for _ in FUNCTIONS]
        library.run("functions", x, *results)
        with np.errstate(all="ignore"):
            check(name, results[number], reference(x.astype(np.float64)), ulps, x)


def check_power(library: Library, rng: np.random.Generator) -> None:
    x = samples(rng, -20, 20, True, 100_000)
    y = rng.uniform(-6, 6, x.size).astype(np.float32)
    y[::3] = np.rint(y[::3])
    corners = np.array([0.0, -0.0, np.inf, 1.0, 0.5, 2.0, -2.0, -3.0, np.nan, 200.0], np.float32)
    grid = np.meshgrid(corners, corners)
    x = np.concatenate([x, grid[0].ravel()])
    y = np.concatenate([y, grid[1].ravel()])
    z = np.empty_like(x)
    library.run("power", x, y, z)
    with np.errstate(all="ignore"):
        check("powf", z, np.power(x.astype(np.float64), y.astype(np.float64)), 1, x)


def check_angle(library: Library, rng: np.random.Generator) -> None:
    """Rotary frequencies at positions up to 2^20."""
    position = rng.integers(0, 1 << 20, 200_000)
    position[:3] = [0, 1, (1 << 20) - 1]
    turns = 10000.0 ** -rng.uniform(0, 1, position.size) / (2 * math.pi)
    turns[:3] = 1 / (2 * math.pi)
    hi = turns.astype(np.float32)
    lo = (turns - hi).astype(np.float32)
    position = position.astype(np.float32) * rng.choice([-1, 1], position.size).astype(np.float32)
    cos, sin = np.empty_like(hi), np.empty_like(hi)
    library.run("angle", position, hi, lo, cos, sin)
    # Whole turns taken off exactly, in extended precision.
    exact = position.astype(np.longdouble) * turns.astype(np.longdouble)
    angle = ((exact - np.rint(exact)) * 2 * np.longdouble(math.pi)).astype(np.float64)
    error = max(np.abs(cos - np.cos(angle)).max(), np.abs(sin - np.sin(angle)).max())
    print(f"cos_sin: worst error {error:.3g}")
    assert error <= 3e-7


def check_wide(library: Library, rng: np.random.Generator) -> None:
    """exp2 and log2 of f64, to the 48 bits that two f32 hold."""
    x = np.concatenate([rng.uniform(-60, 60, 100_000), np.exp2(rng.uniform(-30, 30, 100_000))])
    x[:4] = [1.0, 0.0, -1.0, 1 + 2.0**-40]
    high = x.astype(np.float32)
    rest = (x - high).astype(np.float32)
    x = high.astype(np.float64) + rest
    results = [np.empty_like(high) for _ in range(4)]
    library.run("wide", high, rest, *results)
    exp2, log2 = (results[i].astype(np.float64) + results[i + 1] for i in (0, 2))
    power = np.abs(exp2 / np.exp2(x) - 1)[np.abs(x) < 60].max()
    positive = (x > 0) & (x != 1)
    with np.errstate(all="ignore"):
        expected = np.log2(x)
    logarithm = np.abs(log2 / expected - 1)[positive].max()
    print(f"exp2, log2 of f64: worst errors {power:.3g}, {logarithm:.3g}")
    assert power <= 2e-14 and logarithm <= 2e-14
    assert log2[0] == 0 and results[2][1] == -np.inf and np.isnan(results[2][2])


def check_half(library: Library, rng: np.random.Generator) -> None:
    x = rng.uniform(-9, 9, 5000).astype(np.float16)
    y = rng.uniform(-4, 4, 5000).astype(ml_dtypes.bfloat16)
    exp, tanh = np.empty_like(x), np.empty_like(y)
    library.run("half", x, y, exp, tanh)
    # The rounded float64 value, or its neighbor where that is a near tie.
    reference = np.exp(x.astype(np.float64))
    assert (np.abs(exp - reference) <= 0.51 * np.spacing(reference.astype(np.float16))).all()
    reference = np.tanh(y.astype(np.float64))
    assert (
        np.abs(tanh.astype(np.float64) - reference) <= 2.0**-8 * 0.51 * 2 * np.abs(reference)
    ).all()


if __name__ == "__main__":
    compiled = Library(sys.argv[1])
    generator = np.random.default_rng(1)
    check_functions(compiled, generator)
    check_power(compiled, generator)
    check_angle(compiled, generator)
    check_wide(compiled, generator)
    check_half(compiled, generator)

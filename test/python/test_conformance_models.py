# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention graphs of public model code, compiled and run, against float64 goldens.

The collection is the folder `shared/conformance/models` beside the checkout, or
beside a folder around it (its README says what a case is and where the
tolerances come from); without it the tests are skipped. Every case is run at each of its lengths by one library.

`make test` runs one case a configuration (`ONE_A_CONFIGURATION`: which, changes
from one configuration to the next, so that every exporter and both spellings of
attention are met about equally often); `make test-nightly` runs all of them.
"""

from __future__ import annotations

import itertools
import os
import pathlib

import numpy as np
import pytest

import posenc

AROUND = pathlib.Path(__file__).resolve().parents[3:]
ALL = sorted(
    path.parent
    for folder in AROUND
    for path in folder.glob("shared/conformance/models/*/case.json")
)
# Relative to the largest golden value, as the README has them. Swin v2 multiplies its logits by up
# to 100; the exporter of Gemma's linalg writes sqrt(2/pi) of the tanh GELU as 0.797724.
TOLERANCE = 2e-6
TOLERANCES = {"swinv2": 2e-5, "gemma2.eager.linalg": 1e-4, "gemma3_small.sdpa.linalg": 2e-4}


def configuration_of(folder: pathlib.Path) -> str:
    return folder.name.partition(".")[0]


def one_a_configuration(folders: list[pathlib.Path]) -> list[pathlib.Path]:
    """Of the n-th configuration the n-th case, counted round."""
    groups = itertools.groupby(folders, configuration_of)
    choices = (list(group) for _, group in groups)
    return [cases[number % len(cases)] for number, cases in enumerate(choices)]


CASES = ALL if os.environ.get("POSENC_NIGHTLY") else one_a_configuration(ALL)


def tolerance_of(folder: pathlib.Path) -> float:
    return TOLERANCES.get(folder.name, TOLERANCES.get(configuration_of(folder), TOLERANCE))


def arrays(folder: pathlib.Path, kind: str) -> list[np.ndarray]:
    """`input_0.npy`, `input_1.npy`, ... in order."""
    return [np.load(folder / f"{kind}_{i}.npy") for i in range(len(list(folder.glob(f"{kind}_*"))))]


def error_of(results: tuple[np.ndarray, ...], goldens: list[np.ndarray]) -> float:
    """The largest of any result, relative to its largest golden value."""
    worst = 0.0
    # A graph may return a buffer of the module's before its results.
    for result, golden in zip(results[-len(goldens) :], goldens, strict=True):
        assert result.shape == golden.shape
        difference = np.abs(result.astype(np.float64) - golden).max()
        worst = max(worst, difference / np.abs(golden).max())
    return worst


@pytest.mark.skipif(not ALL, reason="shared/conformance/models is not beside the checkout")
def test_the_choice_meets_every_exporter() -> None:
    chosen = {folder.name.split(".", 1)[1] for folder in one_a_configuration(ALL)}
    assert {name.split(".")[1] for name in chosen} >= {
        "dynamo18",
        "dynamo23",
        "linalg",
        "torchscript17",
    }
    assert {name.split(".")[0] for name in chosen} == {"eager", "sdpa"}
    assert any(name.endswith(".dyn") for name in chosen)


@pytest.mark.skipif(not ALL, reason="shared/conformance/models is not beside the checkout")
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_result_equals_golden(folder: pathlib.Path) -> None:
    (model,) = folder.glob("model.*")
    compiled = posenc.compile(model)
    for length in [folder, *folder.glob("second_length")]:
        results = compiled(*arrays(length, "input"))
        results = results if isinstance(results, tuple) else (results,)
        error = error_of(results, arrays(length, "golden"))
        assert error <= tolerance_of(folder), f"{length.name}: error {error:.2e}"

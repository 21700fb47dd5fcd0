# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported model graphs: compiled, run at each length they come with, compared with float64 goldens.

The cases are those of `test/data/models` (see the README there); the tolerance is that of the
collection: 2e-6 of the largest golden value.
"""

import json
import pathlib

import numpy as np
import pytest

import posenc

CASES = sorted((pathlib.Path(__file__).parent.parent / "data" / "models").glob("*/case.json"))
TOLERANCE = 2e-6


def load(folder: pathlib.Path, prefix: str, count: int) -> list[np.ndarray]:
    return [np.load(folder / f"{prefix}_{number}.npy") for number in range(count)]


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_result_equals_golden(path: pathlib.Path, fuse: bool) -> None:
    case = json.loads(path.read_text())
    compiled = posenc.compile(path.parent / case["file"], fuse=fuse)
    folders = [path.parent] + [folder for folder in [path.parent / "second_length"] if folder.exists()]
    for folder in folders:
        results = compiled(*load(folder, "input", len(case["inputs"])))
        results = results if isinstance(results, tuple) else (results,)
        for result, golden in zip(results, load(folder, "golden", len(case["outputs"])), strict=True):
            assert result.shape == golden.shape
            error = np.abs(result.astype(np.float64) - golden).max() / np.abs(golden).max()
            assert error <= TOLERANCE, f"{folder.name}: error {error:.2e}"

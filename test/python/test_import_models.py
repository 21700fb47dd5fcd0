# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported graphs through the ONNX importer: the IR's form, and its numbers by stock passes."""

import json
import pathlib
import re

import numpy as np
import pytest

from execution import execute
from posenc.frontends.onnx import import_model
from test_models import TOLERANCE, load
from tools import posenc_opt

MODELS = pathlib.Path(__file__).parents[1] / "data" / "models"
CASES = sorted(path.parent for path in MODELS.glob("*/model.onnx"))
# What an exporter printed as one operator stays one op: (attention, rotary).
POSENC_OPS = {"dynamo23": (1, 2)}


@pytest.fixture(scope="module", params=CASES, ids=lambda folder: folder.name)
def case(request) -> tuple[pathlib.Path, str]:
    return request.param, import_model(request.param / "model.onnx")


def test_ops_stay_ops(case) -> None:
    folder, text = case
    keeps = re.search(r"sdpa\.(dynamo23)", folder.name)
    expected = POSENC_OPS[keeps.group(1)] if keeps else (0, 0)
    assert (text.count("posenc.attention "), text.count("posenc.rotary ")) == expected


def test_arguments_carry_names_and_symbols(case) -> None:
    folder, text = case
    size = "s75" if folder.name.endswith(".dyn") else ""
    assert f'{{posenc.name = "hidden_states", posenc.symbols = ["", "{size}", ""]}}' in text
    assert f'{{posenc.name = "output", posenc.symbols = ["", "{size}", ""]}}' in text


def test_shape_arithmetic_is_gone(case) -> None:
    """One length decides everything: one `tensor.dim`, no condition, no shape tensor."""
    folder, text = case
    assert "cf.assert" not in text
    assert "tensor.from_elements" not in text
    assert text.count("tensor.dim") == (1 if folder.name.endswith(".dyn") else 0)


def test_weights_are_resources(case) -> None:
    _, text = case
    assert len(re.findall(r"dense_resource<weight_\d+> : tensor<64x(?:64|32)xf32>", text)) == 4


def test_parses_and_round_trips(case) -> None:
    posenc_opt(case[1], "--verify-roundtrip")


def test_numbers_equal_golden(case) -> None:
    folder, text = case
    count = len(json.loads((folder / "case.json").read_text())["inputs"])
    for data in [folder] + [path for path in [folder / "second_length"] if path.exists()]:
        (result,) = execute(text, load(data, "input", count))
        (golden,) = load(data, "golden", 1)
        assert result.shape == golden.shape
        assert np.abs(result - golden).max() <= TOLERANCE * np.abs(golden).max()

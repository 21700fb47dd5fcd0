# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Biases that are learned or computed from tokens against golden records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import golden
from posenc.reference import fire, forgetting, kerple, relative_bias
from .test_golden_content import check_cope


def log_sigmoid(x: np.ndarray) -> np.ndarray:
    return -np.log1p(np.exp(-x))


def check_kerple(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    bias = kerple.bias(
        inputs["p"],
        inputs["a"],
        parameters["queries"],
        parameters["keys"],
        kernel=parameters["kind"],
        later_keys="zero",
        clamp=True,
        offset=parameters["query_offset"],
    )
    record.check(bias[np.newaxis], "bias")


def check_fire(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    bias = fire.bias(
        (inputs["0.weight"][:, 0], inputs["0.bias"]),
        (inputs["2.weight"], inputs["2.bias"]),
        parameters["queries"],
        parameters["keys"],
        scale=parameters["c"],
        threshold=parameters["threshold"],
        first_position=0,
        epsilon=parameters["eps"],
        offset=0,
    )
    record.check(bias[np.newaxis], "bias")


def check_forgetting(record: golden.Record) -> None:
    """Gates from the layer's input; the second half of them belongs to later keys."""
    inputs = record.inputs
    logits = inputs["x"] @ inputs["weight"].T + inputs["bias"]
    gates = np.moveaxis(record.parameters["post_log_scale"] * log_sigmoid(logits), -1, -2)
    heads, rows = record.parameters["heads"], gates.shape[-1]
    first, later = gates[:, :heads], None if record.parameters["causal"] else gates[:, heads:]
    bias = forgetting.bias(first, rows, later_log_gates=later, offset=0)
    record.check(bias, "score_bias")
    # The compiled op has the running sums.
    sums = np.cumsum(first, axis=-1)
    backward = None if later is None else np.cumsum(later, axis=-1)
    record.check(forgetting.bias_of_sums(sums, rows, backward=backward, offset=0), "score_bias")


def check_forgetting_per_row(record: golden.Record) -> None:
    heads, width = record.parameters["heads"], record.parameters["dim_head"]
    x = record.inputs["x"]
    projected = (x @ record.inputs["weight"].T).reshape(*x.shape[:2], 2, heads, width)
    q, k = np.moveaxis(projected, 1, 3).swapaxes(0, 1)
    gates = log_sigmoid(q @ k.swapaxes(-1, -2) / np.sqrt(width))
    record.check(forgetting.bias_per_row(gates), "score_bias")


def layers(inputs: dict[str, np.ndarray]) -> Sequence[tuple[np.ndarray, np.ndarray]]:
    """The record's weights and biases, in order."""
    weights = [name for name in inputs if name.endswith("weight")]
    return [(inputs[name], inputs[name.removesuffix("weight") + "bias"]) for name in weights]


def check_mlp_bias(record: golden.Record) -> None:
    """A table of every distance, read by distance."""
    parameters = record.parameters
    queries, keys, offset = (parameters[n] for n in ("queries", "keys", "query_offset"))
    assert not parameters["norm"]
    first = offset - (keys - 1)
    table = relative_bias.dynamic_table(
        layers(record.inputs),
        np.arange(first, offset + queries),
        log_distance=parameters["log_distance"],
    )
    bias = relative_bias.bias(
        table, queries, keys, origin=-first, sign="query_minus_key", outside="clip", offset=offset
    )
    record.check(bias, "bias")


def check_distance_basis(record: golden.Record) -> None:
    """A table of its own for every query: weights of the token times a bank of tables."""
    parameters, inputs = record.parameters, record.inputs
    offset, x = parameters["query_offset"], inputs["x"][0]
    weights = x @ inputs["to_distance_weights.0.weight"].T + inputs["to_distance_weights.0.bias"]
    tables = weights.reshape(len(x), parameters["heads"], parameters["basis"])
    tables = tables @ inputs["distance_bank"]
    keys = record.outputs["bias"].shape[-1]
    rows = [
        relative_bias.bias(
            table.T, 1, keys, origin=0, sign="query_minus_key", outside="zero", offset=i + offset
        )
        for i, table in enumerate(tables)
    ]
    record.check(np.concatenate(rows, axis=1)[np.newaxis], "bias")


CHECKS = {
    "cope": check_cope,
    "distance_basis": check_distance_basis,
    "fire": check_fire,
    "forgetting": check_forgetting,
    "forgetting_per_row": check_forgetting_per_row,
    "kerple": check_kerple,
    "mlp_bias": check_mlp_bias,
}


@pytest.mark.parametrize("record", golden.parameters("learned_bias"))
def test_learned_bias(record: golden.Record) -> None:
    CHECKS[record.encoding](record)

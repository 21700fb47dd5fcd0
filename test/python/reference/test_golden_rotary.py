# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary frequencies and rotations against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import frequencies, rotary

from .not_built import NOT_BUILT


def frequencies_of(parameters: dict) -> tuple[np.ndarray, float]:
    """Frequencies and attention factor that a record's parameters describe."""
    rotary_dim = parameters.get("rotary_dim")
    if rotary_dim is None:
        partial = parameters.get("partial_rotary_factor", 1.0)
        rotary_dim = int(parameters["head_dim"] * partial)
    base = parameters.get("rope_theta", parameters.get("base"))
    # mlx scales the position, ggml the frequency: both are the inverse factor.
    scale = parameters.get("position_scale", parameters.get("freq_scale", 1))
    kind = parameters.get("rope_type", "default")
    if kind == "base_times_factor":
        return frequencies.default(rotary_dim, base * parameters["alpha"])
    if kind == "linear":
        return frequencies.linear(rotary_dim, base, parameters["factor"])
    if kind == "llama3":
        return frequencies.llama3(
            rotary_dim,
            base,
            factor=parameters["factor"],
            low_freq_factor=parameters["low_freq_factor"],
            high_freq_factor=parameters["high_freq_factor"],
            original_max_position=parameters["original_max_position_embeddings"],
        )
    assert kind == "default", kind
    if scale != 1:
        return frequencies.linear(rotary_dim, base, 1 / scale)
    return frequencies.default(rotary_dim, base)


@pytest.mark.parametrize("record", golden.parameters("rope_tables", skip=NOT_BUILT))
def test_frequencies(record: golden.Record) -> None:
    parameters = record.parameters
    if "bands" in parameters:
        assert parameters["step"] == 1
        inv_freq, attention_factor = frequencies.default(
            2 * parameters["bands"], parameters["base"]
        )
    else:
        inv_freq, attention_factor = frequencies_of(parameters)
    (output,) = set(record.outputs) - {"attention_factor"}
    record.check(inv_freq, output)
    assert attention_factor == record.outputs.get("attention_factor", 1)


@pytest.mark.parametrize("record", golden.parameters("rotary", skip=NOT_BUILT))
def test_rotary(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    assert record.encoding == "rotary"
    placement = {
        "lanes": parameters["pairing"],
        "side": parameters["side"],
        "output_lanes": parameters.get("output_order"),
    }
    length = inputs["x" if "x" in inputs else "q"].shape[2]
    positions = inputs.get("position_ids")
    if positions is None:
        positions = np.arange(length) + parameters["offset"]
    if "cos_cache" in inputs:
        cos = rotary.cache_rows(inputs["cos_cache"], positions)
        sin = rotary.cache_rows(inputs["sin_cache"], positions)
        placement["rotary_dim"] = parameters["rotary_dim"]
    else:
        inv_freq, attention_factor = frequencies_of(parameters)
        if "inv_freq" in inputs:
            np.testing.assert_allclose(inv_freq, inputs["inv_freq"], rtol=1e-14)
        inv_freq = inv_freq / inputs.get("freq_factors", 1.0)
        cos, sin = rotary.cos_sin(positions, inv_freq, attention_factor)
        placement["rotary_dim"] = 2 * inv_freq.size
    for name in record.outputs:
        record.check(rotary.rotate(inputs[name], cos, sin, **placement), name)

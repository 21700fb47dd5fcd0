# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary frequencies and rotations against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import attention, frequencies, pope, query_temperature, rotary, xpos

YARN = ("beta_fast", "beta_slow", "truncate", "attention_factor", "mscale", "mscale_all_dim")


def frequencies_of(parameters: dict) -> tuple[np.ndarray, float]:
    """Frequencies and attention factor that a record's parameters describe."""
    rotary_dim = parameters.get("rotary_dim")
    kind = parameters.get("rope_type", "default")
    partial = parameters.get("partial_rotary_factor", 1.0)
    if kind == "pixel":
        spacing = "linear" if parameters.get("linear", True) else "geometric"
        bands = parameters["bands"] if "bands" in parameters else parameters["head_dim"] // 2
        return frequencies.pixel(bands, parameters["max_freq"], spacing=spacing)
    if rotary_dim is None:
        share = 1.0 if kind == "proportional" else partial
        rotary_dim = int(parameters["head_dim"] * share)
    base = parameters.get("rope_theta", parameters.get("base"))
    # mlx scales the position, ggml the frequency: both are the inverse factor.
    scale = parameters.get("position_scale", parameters.get("freq_scale", 1))
    original = parameters.get("original_max_position_embeddings")
    if kind == "base_times_factor":
        return frequencies.default(rotary_dim, base * parameters["alpha"])
    if kind == "linear":
        return frequencies.linear(rotary_dim, base, parameters["factor"])
    if kind == "ntk":
        return frequencies.ntk(rotary_dim, base, parameters["alpha"])
    if kind == "proportional":
        return frequencies.proportional(
            rotary_dim, base, fraction=partial, factor=parameters["factor"]
        )
    if kind == "dynamic":
        return frequencies.dynamic_ntk(
            rotary_dim,
            base,
            factor=parameters["factor"],
            original_max_position=parameters["max_position_embeddings"],
            length=parameters["seq_len"],
        )
    if kind == "longrope":
        return frequencies.longrope(
            rotary_dim,
            base,
            short_factor=parameters["short_factor"],
            long_factor=parameters["long_factor"],
            original_max_position=original,
            length=parameters["seq_len"],
            factor=parameters.get("factor", parameters["max_position_embeddings"] / original),
            attention_factor=parameters.get("attention_factor"),
        )
    if kind == "yarn":
        return frequencies.yarn(
            rotary_dim,
            base,
            factor=parameters["factor"],
            original_max_position=original,
            **{name: parameters[name] for name in YARN if name in parameters},
        )
    if kind == "llama3":
        return frequencies.llama3(
            rotary_dim,
            base,
            factor=parameters["factor"],
            low_freq_factor=parameters["low_freq_factor"],
            high_freq_factor=parameters["high_freq_factor"],
            original_max_position=original,
        )
    assert kind == "default", kind
    if "ext" in parameters:  # ggml's YaRN
        return frequencies.yarn(
            rotary_dim, base, factor=1 / scale, original_max_position=parameters["n_ctx_orig"]
        )
    if scale != 1:
        return frequencies.linear(rotary_dim, base, 1 / scale)
    return frequencies.default(rotary_dim, base)


@pytest.mark.parametrize("record", golden.parameters("rope_tables"))
def test_frequencies(record: golden.Record) -> None:
    parameters = record.parameters
    if "bands" in parameters and "rope_type" not in parameters:
        assert parameters["step"] == 1
        inv_freq, attention_factor = frequencies.default(
            2 * parameters["bands"], parameters["base"]
        )
    else:
        inv_freq, attention_factor = frequencies_of(parameters)
    (output,) = set(record.outputs) - {"attention_factor"}
    record.check(inv_freq, output)
    np.testing.assert_allclose(
        attention_factor, record.outputs.get("attention_factor", 1), rtol=1e-15
    )


def rotated(record: golden.Record) -> dict[str, np.ndarray]:
    parameters, inputs = record.parameters, record.inputs
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
    return {name: rotary.rotate(inputs[name], cos, sin, **placement) for name in record.outputs}


def with_decay(record: golden.Record) -> dict[str, np.ndarray]:
    """xPos: keys count from 0, queries from `query_offset`."""
    parameters, width = record.parameters, record.parameters["head_dim"]
    inv_freq, _ = frequencies.default(width, parameters["base"])
    results = {}
    for name, role, first in (
        ("q", "query", parameters.get("query_offset", 0)),
        ("k", "key", 0),
    ):
        positions = first + np.arange(record.inputs[name].shape[2])
        decay = xpos.decay(
            positions,
            width,
            role=role,
            centre=parameters.get("centre", parameters.get(f"centre_{name}")),
            scale_base=parameters["scale_base"],
        )
        cos, sin = (table * decay for table in rotary.cos_sin(positions, inv_freq))
        results[name] = rotary.rotate(record.inputs[name], cos, sin, lanes=parameters["pairing"])
    return results


def with_temperature(record: golden.Record) -> dict[str, np.ndarray]:
    """Ministral gives the factors, Llama 4 a whole attention of x with itself."""
    parameters = record.parameters
    if "scale" in record.outputs:
        factors = query_temperature.factors(
            record.inputs["position_ids"][0],
            beta=parameters["beta"],
            original_length=parameters["original_max_position_embeddings"],
            position_shift=0,
        )
        return {"scale": factors}
    x = record.inputs["x"][:, np.newaxis]
    factors = query_temperature.factors(
        parameters["past"] + np.arange(x.shape[2]),
        beta=parameters["beta"],
        original_length=parameters["floor_scale"],
        position_shift=1,
    )
    query = x * factors[:, np.newaxis]
    weights, _ = attention.probabilities(query, x, scale=parameters["softmax_scale"])
    return {"weights": weights, "output": (weights @ x)[:, 0]}


def polar(record: golden.Record) -> dict[str, np.ndarray]:
    width = record.parameters["head_dim"]
    inv_freq, _ = frequencies.default(2 * width, record.parameters["base"])
    q, k = record.inputs["q"], record.inputs["k"]
    first = record.parameters["query_offset"]
    return {
        "q": pope.pope(q, first + np.arange(q.shape[2]), inv_freq),
        "k": pope.pope(k, np.arange(k.shape[2]), inv_freq, phase=record.inputs["bias"][:, 0]),
    }


def history(record: golden.Record) -> dict[str, np.ndarray]:
    """Calls that grow: each has the frequencies of its own length."""
    parameters = dict(record.parameters)
    lengths = parameters.pop("lengths")
    assert lengths == sorted(lengths)
    return {
        f"inv_freq_{call}": frequencies_of(parameters | {"seq_len": length})[0]
        for call, length in enumerate(lengths)
    }


ANSWERS = {"temperature": with_temperature, "xpos": with_decay, "pope": polar}


@pytest.mark.parametrize("record", golden.parameters("rotary"))
def test_rotary(record: golden.Record) -> None:
    if record.parameters.get("rope_type") == "dynamic":
        answers = history(record)
    else:
        answers = ANSWERS.get(record.encoding, rotated)(record)
    assert set(answers) == set(record.outputs)
    for name, answer in answers.items():
        record.check(answer, name)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, alone and in whole layers, against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import alibi, attention, causal, frequencies, rotary
from .test_golden_bias import key_position_bias


def rms_norm(x: np.ndarray, gain: np.ndarray, epsilon: float) -> np.ndarray:
    """x / sqrt(mean(x^2) + epsilon) * gain over the head."""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon) * gain


def rotated(record: golden.Record, name: str) -> np.ndarray:
    """The record's q or k as the layer's rotation (and norm) leaves it."""
    parameters, inputs = record.parameters, record.inputs
    x = inputs[name]
    if f"{name}_norm" in inputs:
        x = rms_norm(x, inputs[f"{name}_norm"], parameters["rms_eps"])
    inv_freq = inputs["inv_freq"]
    if parameters["rope"]["rope_type"] == "default":
        own, _ = frequencies.default(2 * inv_freq.size, parameters["base"])
        np.testing.assert_allclose(own, inv_freq, rtol=1e-14)
    return rotary.rotary(
        x,
        inputs["position_ids"],
        inv_freq,
        lanes=parameters["pairing"],
        side=parameters.get("side", "first"),
        attention_factor=parameters["attention_factor"],
    )


def alibi_bias(record: golden.Record) -> np.ndarray:
    """The bias as the layer adds it to scaled scores."""
    parameters, inputs = record.parameters, record.inputs
    heads, keys = parameters["heads"], inputs["k"].shape[2]
    if "layer-mpt" in record.id:
        slopes = alibi.slopes(heads)
        return alibi.bias_at(slopes, [keys - 1], np.arange(keys), symmetric=False)
    falcon = "layer-falcon" in record.id
    bias = key_position_bias(inputs["attention_mask"], heads, falcon)
    np.testing.assert_allclose(bias, inputs["alibi"], rtol=1e-14)
    return bias * parameters["scale"] if falcon else bias


@pytest.mark.parametrize("record", golden.parameters("attention"))
def test_attention(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    q, k = inputs["q"], inputs["k"]
    keep, bias = inputs.get("keep"), None
    if record.encoding == "attention+rotary":
        q, k = rotated(record, "q"), rotated(record, "k")
    elif record.encoding == "attention+alibi":
        bias = alibi_bias(record)
    else:
        assert record.encoding == "attention"
    if parameters.get("causal"):
        keep = causal.causal(q.shape[2], k.shape[2], offset=parameters["query_offset"])
    # The additive masks of transformers' eager layers average empty rows.
    average = record.library == "transformers"
    settings = {
        "scale": parameters["scale"],
        "bias": bias,
        "mask": keep,
        "soft_cap": parameters.get("softcap"),
        "sinks": inputs.get("sinks"),
        "empty_rows": "average" if average else "zero",
    }
    output, logsumexp = attention.attention(q, k, inputs["v"], return_logsumexp=True, **settings)
    record.check(output, "output")
    if "weights" in record.outputs:
        record.check(attention.probabilities(q, k, **settings)[0], "weights")
    if "logsumexp" in record.outputs:
        record.check(logsumexp, "logsumexp")

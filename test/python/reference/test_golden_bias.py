# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ALiBi and T5's bucketed bias against golden records."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import golden
from posenc.reference import alibi, attention, bucketed_bias, positions


def bf16(x: np.ndarray) -> np.ndarray:
    """`x` rounded to bf16, as float64: what Falcon does to slopes and biases."""
    return np.asarray(x).astype(np.float32).astype(ml_dtypes.bfloat16).astype(float)


def key_position_bias(attention_mask: np.ndarray, heads: int, falcon: bool):
    """BLOOM's and Falcon's bias: slope times the position of the key, [B, H, 1, Lk]."""
    key_positions = positions.from_mask(attention_mask, pad_position=0)
    query_positions = np.zeros((key_positions.shape[0], 1), dtype=np.int64)
    slopes = alibi.slopes(heads)
    if falcon:
        slopes = bf16(slopes)
    bias = alibi.bias_at(slopes, query_positions, key_positions, symmetric=False)
    return bf16(bias) if falcon else bias


def check_slopes(record: golden.Record) -> None:
    parameters = record.parameters
    slopes = alibi.slopes(parameters["heads"], max_bias=parameters["bias_max"])
    record.check(bf16(slopes) if "-falcon-" in record.id else slopes, "slopes")


def check_alibi(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    slopes = alibi.slopes(parameters.get("alibi_heads", parameters["heads"]))
    if "attention_mask" in inputs:
        falcon = "-falcon-" in record.id
        bias = key_position_bias(inputs["attention_mask"], parameters["heads"], falcon)
    elif "query_positions" in inputs:
        bias = alibi.bias_at(
            slopes,
            inputs["query_positions"],
            inputs["key_positions"],
            symmetric=parameters["symmetric"],
        )
    elif parameters.get("symmetric"):
        bias = alibi.bias(
            slopes,
            parameters["queries"],
            parameters["keys"],
            offset=parameters.get("query_offset", 0),
            symmetric=True,
        )
        bias = np.pad(bias, [(0, parameters["heads"] - slopes.size), (0, 0), (0, 0)])
    else:
        # MPT, Keras: every query at the last key.
        keys = parameters["keys"]
        slopes = alibi.slopes(parameters["heads"], max_bias=parameters.get("bias_max", 8))
        last = np.full(parameters.get("queries", 1), keys - 1)
        bias = alibi.bias_at(slopes, last, np.arange(keys), symmetric=False)
    record.check(bias.reshape(record.outputs["bias"].shape), "bias")


def check_ggml_softmax(record: golden.Record) -> None:
    """softmax(scale * scores + slope * mask), the mask holding -|i - j| or -inf."""
    parameters, inputs = record.parameters, record.inputs
    scores, mask = inputs["scores"], inputs["mask"]
    keep = np.isfinite(mask)
    heads, queries, keys = scores.shape
    bias = alibi.bias(
        alibi.slopes(heads, max_bias=parameters["bias_max"]),
        queries,
        keys,
        offset=parameters["query_offset"],
        symmetric=True,
    )
    # One key lane of value 1 a query lane: q.k is the given score.
    weights, _ = attention.probabilities(
        scores[np.newaxis],
        np.broadcast_to(np.eye(keys), (1, heads, keys, keys)),
        scale=parameters["scale"],
        bias=bias,
        mask=keep,
    )
    record.check(weights[0], "weights")


def bias_of(record: golden.Record, queries: int, keys: int) -> np.ndarray:
    """The record's bucketed bias, [H, Lq, Lk]."""
    parameters = record.parameters
    return bucketed_bias.bias(
        record.inputs["table"],
        queries,
        keys,
        max_distance=parameters["max_distance"],
        bidirectional=parameters["bidirectional"],
        offset=parameters.get("query_offset", 0),
    )


def check_t5_attention(record: golden.Record) -> None:
    q, k, v = (record.inputs[name] for name in "qkv")
    assert not record.parameters["causal"]
    bias = bias_of(record, q.shape[2], k.shape[2])
    output = attention.attention(q, k, v, scale=record.parameters["scale"], bias=bias)
    record.check(output, "output")


def check_bucket(record: golden.Record) -> None:
    parameters = record.parameters
    index = bucketed_bias.buckets(
        record.inputs["relative_position"],
        parameters["num_buckets"],
        parameters["max_distance"],
        bidirectional=parameters["bidirectional"],
    )
    record.check(index, "bucket")


def check_bucketed_bias(record: golden.Record) -> None:
    parameters = record.parameters
    bias = bias_of(record, parameters["queries"], parameters["keys"])
    (output,) = record.outputs
    if "query_rows" in record.inputs:
        bias = bias[:, record.inputs["query_rows"]]
    bias = bias * parameters.get("bias_scale", 1.0)
    record.check(bias.reshape(record.outputs[output].shape), output)


def check_gated_bias(record: golden.Record) -> None:
    """WavLM's layer: the table's biases times gates of the layer's input."""
    parameters, inputs = record.parameters, record.inputs
    heads, x = parameters["heads"], inputs["x"]
    rows = x.shape[1]

    def split(y: np.ndarray) -> np.ndarray:
        return y.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)

    def project(name: str) -> np.ndarray:
        return split(x @ inputs[f"{name}.weight"].T + inputs[f"{name}.bias"])

    bias = bucketed_bias.bias(
        inputs["rel_attn_embed.weight"],
        rows,
        rows,
        max_distance=parameters["max_distance"],
        bidirectional=parameters["bidirectional"],
        offset=0,
    )
    record.check(bias[np.newaxis], "position_bias")
    gate = bucketed_bias.wavlm_gate(
        split(x),
        inputs["gru_rel_pos_linear.weight"],
        inputs["gru_rel_pos_linear.bias"],
        inputs["gru_rel_pos_const"].reshape(heads),
    )
    bias = gate[..., np.newaxis] * bias
    record.check(bias.reshape(record.outputs["gated_bias"].shape), "gated_bias")
    scale = 1 / np.sqrt(parameters["head_dim"])
    q, k, v = (project(f"{name}_proj") for name in "qkv")
    output = attention.attention(q, k, v, scale=scale, bias=bias)
    output = output.swapaxes(1, 2).reshape(x.shape)
    output = output @ inputs["out_proj.weight"].T + inputs["out_proj.bias"]
    record.check(output, "output")


CHECKS = {
    "alibi_slopes": check_slopes,
    "alibi": check_alibi,
    "t5_bucket": check_bucket,
    "bucketed_bias": check_bucketed_bias,
    "gated_bias": check_gated_bias,
    "attention": check_t5_attention,
}


@pytest.mark.parametrize("record", golden.parameters("alibi"))
def test_alibi(record: golden.Record) -> None:
    if "weights" in record.outputs:
        check_ggml_softmax(record)
    else:
        CHECKS[record.encoding](record)


@pytest.mark.parametrize("record", golden.parameters("bucketed_bias"))
def test_bucketed_bias(record: golden.Record) -> None:
    CHECKS[record.encoding](record)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings that queries and keys decide against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import (
    attention,
    causal,
    cope,
    decomposed_2d,
    disentangled,
    shaw,
    transformer_xl,
)


def check_attention(record: golden.Record, bias: np.ndarray, *, content_bias=0.0, mask=None):
    """The record's weights and output, of a bias that the scale applies to as well."""
    q, k, v = (record.inputs[name] for name in "qkv")
    scale = record.parameters["scale"]
    weights, _ = attention.probabilities(
        q + content_bias, k, scale=scale, bias=scale * bias, mask=mask
    )
    record.check(weights, "weights")
    return weights @ v


def check_bucket(record: golden.Record) -> None:
    parameters = record.parameters
    bucket = disentangled.log_buckets(
        record.inputs["relative_position"],
        parameters["bucket_size"],
        parameters["max_position"],
    )
    record.check(bucket, "bucket")


def check_disentangled(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    q, k = inputs["q"], inputs["k"]
    logarithmic = parameters["bucket_size"] > 0
    index = disentangled.rows(
        q.shape[2],
        k.shape[2],
        span=parameters["span"],
        bucket_size=parameters["bucket_size"] if logarithmic else None,
        max_position=parameters["max_position"] if logarithmic else None,
        offset=0,
    )
    bias = disentangled.bias(
        index,
        query=q,
        pos_key=inputs.get("pos_key"),
        key=k,
        pos_query=inputs.get("pos_query"),
    )
    record.check(parameters["scale"] * bias, "bias")
    record.check(check_attention(record, bias), "output")


def check_transformer_xl(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    q, keys, offset = inputs["q"], inputs["k"].shape[2], parameters.get("query_offset", 0)
    rows = {"xlnet": "xlnet", "conformer": "conformer", "txl": "transformer_xl"}
    (relative,) = inputs["r"]
    bias = transformer_xl.bias(
        q,
        relative,
        keys,
        rows=rows[record.id.split("/")[1].split("-")[0]],
        query_bias=inputs["w"],
        offset=offset,
    )
    keep = causal.causal(q.shape[2], keys, offset=offset)
    mask = keep if parameters["causal"] else None
    if "shifted" in record.outputs:
        expected = record.outputs["shifted"]
        # Where it is masked, libraries shift other rows in.
        seen = bias if mask is None else np.where(keep, bias, expected)
        record.check(seen, "shifted")
    content_bias = inputs["u"][:, np.newaxis]
    output = check_attention(record, bias, content_bias=content_bias, mask=mask)
    record.check(output, "output")


def check_shaw(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    q, k = inputs["q"], inputs["k"]
    if record.encoding == "relative_key":
        options = {
            "left": parameters["max_position"] - 1,
            "relative": "query_minus_key",
            "outside": "error",
        }
    elif "max_length" in parameters:  # SpeechT5
        options = {
            "left": parameters["max_length"],
            "relative": "query_minus_key",
            "outside": "clip",
        }
    else:  # Wav2Vec2-BERT, VITS
        options = {
            "left": parameters.get("left", parameters.get("window")),
            "relative": "key_minus_query",
            "outside": parameters.get("outside", "clip"),
        }
    table = inputs["table"] if "table" in inputs else inputs["table_k"]
    sizes = q.shape[2], k.shape[2]
    vectors = shaw.embeddings(table, *sizes, offset=0, **options)
    bias = shaw.bias(vectors, query=q, key=k if parameters.get("with_query") else None)
    output = check_attention(record, bias)
    if "table_v" in inputs:
        vectors = shaw.embeddings(inputs["table_v"], *sizes, offset=0, **options)
        output = output + shaw.values(record.outputs["weights"], vectors)
    record.check(output, "output")


def check_decomposed_2d(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    q = inputs["q"] if inputs["q"].ndim == 4 else inputs["q"][:, np.newaxis]
    grids = {name: tuple(parameters[name]) for name in ("query_size", "key_size")}
    rel_h, rel_w = (
        decomposed_2d.resize(inputs[name], 2 * max(sizes) - 1)
        for name, sizes in zip(("rel_pos_h", "rel_pos_w"), zip(*grids.values()))
    )
    bias = decomposed_2d.bias(
        q,
        rel_h,
        rel_w,
        query_grid=grids["query_size"],
        key_grid=grids["key_size"],
        class_token=parameters.get("class_token", False),
    )
    record.check(bias.reshape(record.outputs["bias"].shape), "bias")


def check_cope(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    q, k = inputs["q"], inputs["k"]
    keep = causal.causal(q.shape[2], k.shape[2], offset=0)
    bias = cope.bias(
        q,
        k,
        inputs["table"],
        scale=parameters["scale"],
        mask=keep if parameters["causal"] else None,
    )
    record.check(bias, "bias")


CHECKS = {
    "deberta_bucket": check_bucket,
    "disentangled": check_disentangled,
    "transformer_xl": check_transformer_xl,
    "shaw": check_shaw,
    "relative_key": check_shaw,
}


@pytest.mark.parametrize("record", golden.parameters("content"))
def test_content(record: golden.Record) -> None:
    CHECKS[record.encoding](record)

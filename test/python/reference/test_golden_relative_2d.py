# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Biases by distance between the places of a window against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import attention, relative_bias_2d
from .test_golden_content import check_decomposed_2d


def check_index(record: golden.Record) -> None:
    parameters = record.parameters
    index = relative_bias_2d.index(parameters["window"], class_token=parameters["class_token"])
    record.check(index, "index")


def check_bias(record: golden.Record) -> None:
    parameters, table = record.parameters, record.inputs["table"]
    window, class_token = parameters["window"], parameters["class_token"]
    old = parameters.get("old_window", window)
    if old != window:
        table = relative_bias_2d.resize_table(table, old, window)
    bias = relative_bias_2d.bias(table, window, class_token=class_token)
    record.check(bias.reshape(record.outputs["bias"].shape), "bias")
    if "index" in record.outputs:
        record.check(relative_bias_2d.index(window, class_token=class_token), "index")


def coordinates(parameters: dict) -> np.ndarray:
    pretrained = parameters.get("pretrained_window")
    return relative_bias_2d.log_spaced_coordinates(
        parameters["window"],
        pretrained_window=pretrained if pretrained and any(pretrained) else None,
        spacing="natural" if parameters.get("mode") == "cr" else "window",
    )


def check_coordinates(record: golden.Record) -> None:
    record.check(
        coordinates(record.parameters).reshape(record.outputs["coords"].shape), "coords"
    )


def swin_v2_bias(record: golden.Record, names: str) -> np.ndarray:
    weights = [record.inputs[name] for name in names.split()]
    table = relative_bias_2d.swin_v2_table(coordinates(record.parameters), *weights)
    return relative_bias_2d.bias(table, record.parameters["window"], class_token=False)


def check_swin_v2_bias(record: golden.Record) -> None:
    bias = swin_v2_bias(record, "mlp.fc1.weight mlp.fc1.bias mlp.fc2.weight")
    record.check(bias[np.newaxis], "bias")


def check_swin_attention(record: golden.Record) -> None:
    q, k, v, table = (record.inputs[name] for name in ("q", "k", "v", "table"))
    bias = relative_bias_2d.bias(table, record.parameters["window"], class_token=False)
    bias = bias + record.inputs.get("mask", np.zeros((1, 1)))[..., np.newaxis, :, :]
    check_attention(record, q, k, v, record.parameters["scale"], bias)


def check_swin_v2_attention(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    heads, x = parameters["heads"], inputs["x"]

    def project(name: str) -> np.ndarray:
        y = x @ inputs[f"{name}.weight"].T + inputs.get(f"{name}.bias", 0.0)
        return y.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)

    def normalized(y: np.ndarray) -> np.ndarray:
        return y / np.maximum(np.linalg.norm(y, axis=-1, keepdims=True), 1e-12)

    q, k, v = (project(name) for name in ("query", "key", "value"))
    factor = np.exp(np.minimum(inputs["logit_scale"], np.log(100)))
    mlp = "continuous_position_bias_mlp"
    bias = swin_v2_bias(record, f"{mlp}.0.weight {mlp}.0.bias {mlp}.2.weight")
    # The library adds the mask twice.
    bias = bias + 2 * inputs.get("mask", np.zeros((1, 1)))[..., np.newaxis, :, :]
    check_attention(record, normalized(q) * factor, normalized(k), v, 1.0, bias)


def check_attention(record: golden.Record, q, k, v, scale: float, bias: np.ndarray) -> None:
    weights, _ = attention.probabilities(q, k, scale=scale, bias=bias)
    record.check(weights, "weights")
    output = attention.weighted_sum(weights, v)
    if record.outputs["output"].ndim == 3:
        output = output.swapaxes(1, 2)
    record.check(output.reshape(record.outputs["output"].shape), "output")


def check_either_attention(record: golden.Record) -> None:
    (check_swin_v2_attention if "logit_scale" in record.inputs else check_swin_attention)(record)


CHECKS = {
    "attention": check_either_attention,
    "decomposed_2d": check_decomposed_2d,
    "relative_bias_2d": check_bias,
    "relative_index_2d": check_index,
    "swinv2_bias": check_swin_v2_bias,
    "swinv2_coords": check_coordinates,
}


@pytest.mark.parametrize("record", golden.parameters("relative_2d"))
def test_relative_2d(record: golden.Record) -> None:
    CHECKS[record.encoding](record)

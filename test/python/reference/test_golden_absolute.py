# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Absolute encodings against golden records."""

from __future__ import annotations

import math

import numpy as np
import pytest

import golden
from posenc.reference import conv, learned, learned_2d, sinusoidal, sinusoidal_2d

# What each library's sinusoidal rule is, by the first part of the record's name.
RULES = {
    "sinusoidal-h1": {"layout": "concatenated", "exponents": "tensor2tensor"},
    "whisper-sinusoids": {"layout": "concatenated", "exponents": "tensor2tensor"},
    "fairseq-offset": {"layout": "concatenated", "exponents": "tensor2tensor"},
    "marian": {"layout": "concatenated", "exponents": "paper"},
    "xlm-interleaved": {"layout": "interleaved", "exponents": "paper"},
    "gptj-table": {"layout": "concatenated", "exponents": "paper"},
    "keras-sine": {"layout": "interleaved", "exponents": "paper"},
    "xt-scaled": {"layout": "concatenated", "exponents": "paper"},
    "sincos-1d": {"layout": "concatenated", "exponents": "paper"},
    "mlx-sin": {"layout": "concatenated", "exponents": "tensor2tensor"},
    "pe-package-1d": {"layout": "interleaved", "exponents": "paper"},
    "txl-pos": {"layout": "concatenated", "exponents": "paper"},
}


def check_sinusoidal(record: golden.Record) -> None:
    parameters = record.parameters
    name = record.id.removeprefix("absolute/")
    (rule,) = (rule for prefix, rule in RULES.items() if name.startswith(prefix))
    shape = parameters.get("shape", (parameters.get("rows"), parameters.get("dim")))
    if "input_ids" in record.inputs:
        positions = learned.roberta_rows(
            record.inputs["input_ids"],
            padding_idx=parameters["padding_idx"],
            past=parameters["past"],
        )
        record.check(positions, "position_ids", tolerance=0.0)
    elif "positions" in record.inputs:
        positions = record.inputs["positions"]
    else:
        positions = np.arange(shape[0]) + parameters.get("offset", 0)
    base = parameters.get("base")
    if base is None:
        base = parameters["max_freq"] / parameters["min_freq"]
        assert parameters["max_freq"] == 1
    if parameters.get("full_turns"):
        positions = positions * 2 * math.pi
    result = sinusoidal.sinusoidal(
        positions,
        shape[1],
        base=base,
        odd="zero_column",
        cos_first=parameters.get("cos_first", False),
        scale=parameters.get("scale", 1.0),
        padding_idx=parameters.get("padding_idx"),
        **rule,
    )
    (output,) = set(record.outputs) - {"position_ids"}
    record.check(result, output)


def check_timestep(record: golden.Record) -> None:
    parameters = record.parameters
    is_ggml = record.library == "ggml-python"
    result = sinusoidal.timestep(
        record.inputs["timesteps"],
        parameters["dim"],
        base=parameters["base"],
        flip_sin_to_cos=True if is_ggml else parameters["flip_sin_to_cos"],
        downscale_freq_shift=0 if is_ggml else parameters["downscale_freq_shift"],
        scale=parameters.get("scale", 1.0),
    )
    record.check(result, "embedding")


def check_learned(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    past = parameters.get("past", 0)
    if "table" in inputs:
        rows = np.arange(parameters["length"])
        embedding = learned.learned(inputs["table"], rows, row_offset=parameters.get("offset", 0))
        assert not parameters["l2norm"]
        record.check(embedding * parameters["scale"], "embedding")
        return
    if "input_ids" in inputs:
        rows = learned.roberta_rows(
            inputs["input_ids"], padding_idx=parameters["padding_idx"], past=past
        )
    elif "attention_mask" in inputs:
        rows = learned.opt_rows(
            inputs["attention_mask"], past=past, row_offset=parameters["offset"]
        )
    else:
        rows = learned.bart_rows(
            parameters["batch"],
            parameters["length"],
            past=past,
            row_offset=parameters["offset"],
        )
    record.check(rows, "rows")


# Which axis comes first and where sines and cosines go, by the first part of the record's name.
GRID_RULES = {
    "sincos-2d": {"first": "column", "order": "axes_apart"},
    "timm-sincos2d": {"first": "row", "order": "functions_apart"},
    "pe-package-2d": {"first": "row", "order": "interleaved"},
}


def check_sinusoidal_2d(record: golden.Record) -> None:
    parameters = record.parameters
    name = record.id.removeprefix("absolute/")
    (rule,) = (rule for prefix, rule in GRID_RULES.items() if name.startswith(prefix))
    if parameters.get("interleave_sin_cos"):
        rule = {**rule, "order": "axes_apart"}
    height, width, dim = parameters.get("shape") or (*parameters["grid"], parameters["dim"])
    if record.library == "diffusers":
        # Its default base_size: any grid is stretched to 16 positions a side.
        rule = {**rule, "axis_scale": (16 / height, 16 / width)}
    table = sinusoidal_2d.sinusoidal_2d(
        height, width, dim, base=parameters.get("base", 10000), **rule
    )
    record.check(table.reshape(record.outputs["table"].shape), "table")


def check_learned_resize(record: golden.Record) -> None:
    parameters = record.parameters
    (table,) = record.inputs["table"]
    resized = learned_2d.learned_2d(
        table,
        parameters["old_size"],
        parameters["new_size"],
        **{name: parameters[name] for name in (
            "prefix_tokens", "interpolation", "antialias", "align_corners")},
    )  # fmt: skip
    record.check(resized[np.newaxis], "table")


def check_conv(record: golden.Record) -> None:
    inputs = record.inputs
    result = conv.conv(inputs["x"], inputs["weight"], inputs["bias"])
    assert record.parameters["activation"] == "gelu (erf)"
    gelu = result / 2 * (1 + np.vectorize(math.erf)(result / math.sqrt(2)))
    record.check(gelu, "embedding")


CHECKS = {
    "conv": check_conv,
    "learned_resize": check_learned_resize,
    "sinusoidal_2d": check_sinusoidal_2d,
    "sinusoidal": check_sinusoidal,
    "timestep": check_timestep,
    "learned": check_learned,
}


@pytest.mark.parametrize("record", golden.parameters("absolute"))
def test_absolute(record: golden.Record) -> None:
    CHECKS[record.encoding](record)

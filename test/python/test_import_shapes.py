# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: the arithmetic, what folds, and the conditions that remain for the call."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc
from execution import execute
from onnx_models import evaluate, make_model, node
from posenc.frontends.onnx import import_model
from posenc.frontends.onnx.symbols import (
    Extent,
    Undecidable,
    at_least,
    equals,
    larger,
    product,
    smaller,
)

S, T = Extent.symbol("S"), Extent.symbol("T")
SIZES = {"S": 7, "T": 3}


def value(extent: Extent) -> int:
    """The extent for the sizes above, by Python's own arithmetic."""
    return eval(str(extent), {"min": min, "max": max}, SIZES)


@st.composite
def extents(draw, depth: int = 3) -> Extent:
    """A random sum or product of S, T and small numbers."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([S, T, *map(Extent.of, range(5))]))
    left, right = draw(extents(depth - 1)), draw(extents(depth - 1))
    return left + right if draw(st.booleans()) else left * right


@given(extents(), extents())
def test_arithmetic_is_that_of_numbers(left: Extent, right: Extent) -> None:
    assert value(left + right) == value(left) + value(right)
    assert value(left - right) == value(left) - value(right)
    assert value(left * right) == value(left) * value(right)
    assert value(smaller(left, right)) == min(value(left), value(right))
    assert value(larger(left, right)) == max(value(left), value(right))


@given(extents(), extents())
def test_division_is_that_of_numbers(left: Extent, right: Extent) -> None:
    for name, operation in (("//", Extent.__floordiv__), ("%", Extent.__mod__)):
        try:
            result = operation(left, right)
        except (Undecidable, ZeroDivisionError):
            continue
        if value(right):
            assert value(result) == (
                value(left) // value(right) if name == "//" else value(left) % value(right)
            )


@given(extents(), extents())
def test_products_divide_exactly(left: Extent, right: Extent) -> None:
    if right != 0:
        assert (left * right).divided_exactly(right) == left


@given(extents(), extents())
def test_decisions_hold(left: Extent, right: Extent) -> None:
    known = at_least(left, right)
    assert known in (None, value(left) >= value(right))
    try:
        assert equals(left, right) == (value(left) == value(right))
    except Undecidable:
        pass


def test_equal_products_are_equal_extents() -> None:
    assert product([2, S, 4]) == product([S, 8])
    assert (64 + 64 * S) // (16 + 16 * S) == 4
    assert str(2 * S - 1) == "2*S - 1"


def text_of(nodes, feeds, symbols, outputs, constants=None, **more) -> str:
    return import_model(make_model(nodes, feeds, outputs, constants, symbols, **more))


X = np.zeros((2, 6, 64), np.float32)


def test_reshape_by_a_computed_shape_folds() -> None:
    """[B, S, 64] to [B, S, 4, 16] where B and S come from Shape, Gather and Concat."""
    nodes = [
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "b"),
        node("Gather", "shape one", "s"),
        node("Unsqueeze", "b axis", "b1"),
        node("Unsqueeze", "s axis", "s1"),
        node("Concat", "b1 s1 four sixteen", "target", axis=0),
        node("Reshape", "x target", "y"),
    ]
    constants = {
        "zero": np.int64(0),
        "one": np.int64(1),
        "axis": np.array([0]),
        "four": np.array([4]),
        "sixteen": np.array([16]),
    }
    text = text_of(nodes, {"x": X}, {"x": ("B", "S", 64)}, ["y"], constants)
    assert "tensor.expand_shape %arg0 [[0], [1], [2, 3]]" in text
    assert "tensor.from_elements" not in text and "cf.assert" not in text


def test_equality_of_two_dimensions_is_asked_of_the_call() -> None:
    text = text_of(
        [node("Add", "x y", "z")],
        {"x": X, "y": X},
        {"x": ("B", "S", 64), "y": ("B", "T", 64)},
        ["z"],
    )
    assert (
        "the graph needs S = T, where S is dimension 1 of 'x' and T is dimension 1 of 'y'" in text
    )


def test_a_dimension_given_as_an_expression_is_tied_to_its_symbol() -> None:
    text = text_of(
        [node("Identity", "y", "z")],
        {"x": X, "y": X},
        {"x": ("B", "S", 64), "y": ("B", "2*S - 1", 64)},
        ["z"],
    )
    assert "dimension 1 of 'y' must be 2*S - 1" in text


def test_a_baked_length_is_named() -> None:
    """A table of 6 rows added to a sequence of any length: the call must have 6."""
    table = np.zeros((6, 64), np.float32)
    text = text_of(
        [node("Add", "x table", "y")], {"x": X}, {"x": ("B", "S", 64)}, ["y"], {"table": table}
    )
    assert "the graph needs S = 6, where S is dimension 1 of 'x'" in text


def test_slice_of_a_table_to_the_length_asks_for_enough_rows() -> None:
    nodes = [
        node("Shape", "x", "shape", start=1, end=2),
        node("Slice", "table zero shape zero", "rows"),
        node("Add", "x rows", "y"),
    ]
    text = text_of(
        nodes,
        {"x": X},
        {"x": ("B", "S", 64)},
        ["y"],
        {"table": np.zeros((32, 64), np.float32), "zero": np.array([0])},
    )
    assert "the graph needs S <= 32, where S is dimension 1 of 'x'" in text
    assert "tensor.extract_slice" in text


def test_result_of_a_division_by_a_size_that_is_zero() -> None:
    """Integer division by zero has no result on a processor: the divisor is replaced."""
    feeds = {"n": np.array([6, -7], np.int64), "d": np.array([0, 2], np.int64)}
    (result,) = execute(
        text_of([node("Div", "n d", "q")], feeds, {"n": ("N",), "d": ("N",)}, ["q"]),
        list(feeds.values()),
    )
    np.testing.assert_array_equal(result, [6, -3])


@pytest.mark.parametrize(
    "gather, rows",
    [
        (node("Gather", "x rows", "y", axis=1), np.array([0, 4])),
        (node("Gather", "x rows", "y", axis=1), np.array([-5, 1])),
        (node("GatherND", "x rows", "y"), np.array([[1, 4], [0, 0]])),
        (node("GatherND", "x rows", "y", batch_dims=1), np.array([[4], [-5]])),
        (node("GatherElements", "x rows", "y", axis=1), np.array([[4, 0], [0, -5]])),
    ],
)
def test_a_call_checks_constant_positions(gather, rows) -> None:
    """Where the graph does not know the size, the call does."""
    feeds = {"x": np.arange(10, dtype=np.float32).reshape(2, 5)}
    model = make_model([gather], feeds, ["y"], {"rows": rows}, {"x": ("B", "S")})
    function = posenc.compile(model)
    np.testing.assert_array_equal(function(feeds["x"]), evaluate(model, feeds)[0])
    with pytest.raises(posenc.Error, match="row -?[45] is outside a dimension of size S, where S"):
        function(feeds["x"][:, :4])


@pytest.mark.parametrize("position", [-100, 100])
def test_a_position_outside_a_table_reads_inside(position: int) -> None:
    table = np.arange(8, dtype=np.float32).reshape(4, 2)
    ids = np.array([position], np.int64)
    (result,) = execute(
        text_of(
            [node("Gather", "table ids", "row")],
            {"ids": ids},
            {"ids": ("N",)},
            ["row"],
            {"table": table},
        ),
        [ids],
    )
    assert result.tolist() == [table[0 if position < 0 else -1].tolist()]

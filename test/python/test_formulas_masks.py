# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element formulas of the structured masks against their oracles."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from formulas import evaluate
from posenc.reference import (
    block_sparse,
    causal,
    chunked,
    document,
    global_tokens,
    prefix,
    tree,
    window,
)

DTYPES = (np.int32, np.int64)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


def check(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_array_equal(actual, np.broadcast_to(expected, actual.shape))


@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("offset", [-2, 0, 4])
def test_dilated_window(dilation: int, offset: int) -> None:
    for left, right in ((2, 0), (1, 2), (None, 1), (3, None)):
        sides = {"left": left, "right": right}
        operands = {name: side for name, side in sides.items() if side is not None}
        text = " ".join(f"{name}({{{name}}})" for name in operands)
        actual = evaluate(
            f"posenc.window {text} offset({{o}}) {{{{dilation = {dilation} : i64}}}} "
            ": tensor<1x1x9x11xi1>",
            **operands,
            o=offset,
        )
        check(actual, window.window(9, 11, **sides, offset=offset, dilation=dilation))


def test_dilated_window_by_hand() -> None:
    """Longformer's figure 2c: w = 4, a gap of 1."""
    actual = evaluate(
        "posenc.window left({n}) right({n}) {{dilation = 2 : i64}} : tensor<1x1x9x9xi1>", n=2
    )
    assert np.flatnonzero(actual[0, 0, 4]).tolist() == [0, 2, 4, 6, 8]
    assert np.flatnonzero(actual[0, 0, 1]).tolist() == [1, 3, 5]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("offset", [None, 0, -3, 5])
def test_prefix(dtype: type, offset: int | None) -> None:
    operands = {} if offset is None else {"o": offset}
    suffix = "" if offset is None else "offset({o})"
    lengths = np.array([0, 3, 9], dtype)
    actual = evaluate(
        f"posenc.prefix lengths({{n}} : {{n.type}}) {suffix} : tensor<3x1x5x7xi1>",
        n=lengths,
        **operands,
    )
    check(actual, prefix.prefix(lengths, 5, 7, offset=offset or 0))


@pytest.mark.parametrize("batches", [(2, 2), (1, 2), (2, 1)])
def test_prefix_of_blocks(rng: np.random.Generator, batches: tuple[int, int]) -> None:
    query = rng.integers(-1, 3, (batches[0], 5), np.int32)
    key = rng.integers(-1, 3, (batches[1], 7), np.int32)
    actual = evaluate(
        "posenc.prefix query_blocks({q} : {q.type}) key_blocks({k} : {k.type}) offset({o}) "
        ": tensor<2x1x5x7xi1>",
        q=query,
        k=key,
        o=1,
    )
    check(actual, prefix.blocks(query, key, offset=1))


@pytest.mark.parametrize("chunk", [1, 3, 100])
@pytest.mark.parametrize("offset", [None, 4, -5])
def test_chunked(chunk: int, offset: int | None) -> None:
    operands = {} if offset is None else {"o": offset}
    suffix = "" if offset is None else "offset({o})"
    attribute = f"{{{{chunk = {chunk} : i64}}}}"
    actual = evaluate(f"posenc.chunked {suffix} {attribute} : tensor<1x1x7x9xi1>", **operands)
    at = {"chunk": chunk, "offset": offset or 0}
    check(actual, chunked.chunked(7, 9, **at))
    starts = np.array([0, 2, 5, -1])
    actual = evaluate(
        f"posenc.chunked {suffix} starts({{s}} : {{s.type}}) {attribute} : tensor<4x1x7x9xi1>",
        s=starts,
        **operands,
    )
    check(actual, chunked.chunked(7, 9, **at, starts=starts))


@pytest.mark.parametrize("batches", [(2, 2), (1, 2), (2, 1)])
def test_global_tokens(rng: np.random.Generator, batches: tuple[int, int]) -> None:
    query, key = rng.random((batches[0], 5)) < 0.3, rng.random((batches[1], 7)) < 0.3
    both = "query_global({q} : {q.type}) key_global({k} : {k.type})"
    result = ": tensor<2x1x5x7xi1>"
    actual = evaluate(f"posenc.global_tokens {both} {result}", q=query, k=key)
    check(actual, global_tokens.global_tokens(query, key))
    none = np.zeros_like
    actual = evaluate(f"posenc.global_tokens key_global({{k}} : {{k.type}}) {result}", k=key)
    check(actual, global_tokens.global_tokens(none(query), key))
    actual = evaluate(f"posenc.global_tokens query_global({{q}} : {{q.type}}) {result}", q=query)
    check(actual, global_tokens.global_tokens(query, none(key)))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("tokens, batch", [(5, 1), (5, 3), (35, 1), (32, 3)])
def test_tree(rng: np.random.Generator, packed: bool, tokens: int, batch: int) -> None:
    matrix = np.stack([tree.ancestors(rng.integers(-1, np.arange(tokens))) for _ in range(batch)])
    given = tree.packed(matrix) if packed else matrix
    cached = np.array([0, 4, 9], np.int64)
    keys = tokens + 6
    actual = evaluate(
        "posenc.tree ancestors({a} : {a.type}) cached({c} : {c.type}) "
        f": tensor<3x1x{tokens}x{keys}xi1>",
        a=given,
        c=cached,
    )
    check(actual, tree.tree(matrix, cached, keys))


def test_tree_of_parents_by_hand() -> None:
    """Two guesses for the next token, and two more behind the first of them."""
    matrix = tree.ancestors(np.array([-1, -1, 0, 0]))
    assert matrix.astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]
    np.testing.assert_array_equal(tree.unpacked(tree.packed(matrix), 4), matrix)
    with pytest.raises(ValueError, match="parents come first"):
        tree.ancestors(np.array([-1, 1]))


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("offset", [0, 5, 40])
def test_block_sparse(rng: np.random.Generator, heads: int, offset: int) -> None:
    blocks = rng.random((2, heads, 4, 3)) < 0.5
    actual = evaluate(
        "posenc.block_sparse blocks({m} : {m.type}) offset({o}) "
        f"{{{{query_block = 3 : i64, key_block = 5 : i64}}}} : tensor<2x{heads}x11x13xi1>",
        m=blocks,
        o=offset,
    )
    expected = block_sparse.block_sparse(blocks, 11, 13, query_block=3, key_block=5, offset=offset)
    check(actual, expected)


def test_block_lists() -> None:
    """FlexAttention's lists of a causal mask in blocks; what is behind their number is not read."""
    numbers = np.array([[[1, 2, 3]]])
    indices = np.array([[[[0, 2, 1], [1, 0, 2], [2, 0, 1]]]])
    np.testing.assert_array_equal(
        block_sparse.from_lists(numbers, indices, 3)[0, 0], causal.causal(3, 3, offset=0)
    )


BOUNDARIES = ([0], [0, 4], [0, 3, 3, 5, 9], [0, 0, 0, 2, 9, 9], [0, 2, 4, 5], [0, *range(9)])


@pytest.mark.parametrize("dtype, element", [(np.int32, "i32"), (np.int64, "i64")])
def test_document_ids(dtype: type, element: str) -> None:
    for bounds in BOUNDARIES:
        given = np.array(bounds, dtype)
        ids, positions = (
            evaluate(
                f"posenc.document_ids {{c}} number(<{number}>) : {{c.type}} -> tensor<1x9x{element}>",
                c=given,
            )
            for number in ("id", "position")
        )
        expected = document.ids_from_cumulative_lengths(np.append(np.minimum(given, 9), 9), 9)
        check(ids[0], expected)
        check(positions[0], document.reset_positions(expected))


GOLDEN = [
    record
    for record in golden.load("masks")
    if record.encoding in ("chunked", "prefix") or "/hf-window" in record.id
]


def windowed(record: golden.Record) -> np.ndarray:
    """By the table of conventions in the op's description."""
    parameters = record.parameters
    size = parameters["window"]
    left, right = size - 1, 0
    if parameters.get("bidirectional"):
        left = right = size - 1 if "gemma3" in record.id else size
    extents = f"{parameters['queries']}x{parameters['keys']}"
    return evaluate(
        f"posenc.window left({{l}}) right({{r}}) offset({{o}}) : tensor<1x1x{extents}xi1>",
        l=left,
        r=right,
        o=parameters["query_offset"],
    )


@pytest.mark.parametrize("record", GOLDEN, ids=lambda record: record.id)
def test_golden_masks(record: golden.Record) -> None:
    """The ops themselves, and not only their oracles, against libraries."""
    if record.encoding == "window":
        mask = windowed(record)
    elif record.encoding == "chunked":
        text = (
            "posenc.chunked starts({s} : {s.type}) "
            f"{{{{chunk = {record.parameters['chunk']} : i64}}}} : tensor<2x1x8x8xi1>"
        )
        mask = evaluate(text, s=record.inputs["left_padding"]) & causal.causal(8, 8, offset=0)
    else:
        ids = record.inputs["block_ids"]
        length = ids.shape[1]
        mask = evaluate(
            "posenc.prefix query_blocks({i} : {i.type}) key_blocks({i} : {i.type}) "
            f": tensor<1x1x{length}x{length}xi1>",
            i=ids,
        )
    np.testing.assert_array_equal(mask.reshape(record.outputs["mask"].shape), record.outputs["mask"])

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks against golden records."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from posenc.reference import attention, causal, chunked, document, padding, prefix, window


def check_mask(record: golden.Record, keep: np.ndarray) -> None:
    """Compares after broadcasting: libraries keep axes of length 1 or drop them."""
    shape = record.outputs["mask"].shape
    assert keep.size == record.outputs["mask"].size
    record.check(keep.reshape(shape), "mask", tolerance=0.0)


def causal_window(parameters: dict, queries: int, keys: int) -> np.ndarray:
    """The causal mask, with the last `window` keys only, where a record asks for it."""
    offset = parameters.get("query_offset", 0)
    keep = np.ones((queries, keys), dtype=bool)
    if parameters["causal"]:
        keep &= causal.causal(queries, keys, offset=offset)
    if parameters["window"] is not None:
        left = parameters["window"] - 1
        keep &= window.window(queries, keys, left=left, right=None, offset=offset)
    return keep


def check_causal(record: golden.Record) -> None:
    parameters = record.parameters
    check_mask(
        record,
        causal.causal(
            parameters["queries"],
            parameters["keys"],
            offset=parameters["query_offset"],
        ),
    )


def check_window(record: golden.Record) -> None:
    parameters = record.parameters
    queries, keys = parameters["queries"], parameters["keys"]
    if "window" not in parameters:
        check_jax(record)
        return
    size = parameters["window"]
    if not parameters.get("bidirectional"):
        left, right = size - 1, 0
    elif "gemma3" in record.id:
        left = right = size - 1
    else:
        left = right = size
    offset = parameters["query_offset"]
    check_mask(record, window.window(queries, keys, left=left, right=right, offset=offset))


def check_jax(record: golden.Record) -> None:
    parameters = record.parameters
    queries, keys = parameters["queries"], parameters["keys"]
    if parameters.get("is_causal"):
        keep = causal.causal(queries, keys, offset=0)
    else:
        left, right = parameters["local_window_size"]
        keep = window.window(queries, keys, left=left, right=right, offset=0)
    check_mask(record, keep)
    q, k, v = (record.inputs[name] for name in "qkv")
    record.check(attention.attention(q, k, v, mask=keep), "output")


def check_document(record: golden.Record) -> None:
    ids = document.ids_from_positions(record.inputs["position_ids"])
    record.check(ids, "segments")
    length = ids.shape[1]
    keep = document.document(ids, ids)
    check_mask(record, keep & causal_window(record.parameters, length, length))


def check_padding(record: golden.Record) -> None:
    parameters = record.parameters
    keep = padding.from_keep(record.inputs["attention_mask"])
    check_mask(
        record,
        keep & causal_window(parameters, parameters["queries"], parameters["keys"]),
    )


def check_chunked(record: golden.Record) -> None:
    parameters = record.parameters
    queries, keys = parameters["queries"], parameters["keys"]
    offset = parameters["query_offset"]
    keep = chunked.chunked(
        queries,
        keys,
        chunk=parameters["chunk"],
        offset=offset,
        starts=record.inputs["left_padding"],
    )
    check_mask(record, keep & causal.causal(queries, keys, offset=offset))


def check_prefix(record: golden.Record) -> None:
    ids = record.inputs["block_ids"]
    keep = prefix.blocks(ids, ids, offset=0)
    check_mask(record, keep)
    if (np.diff(ids[0] >= 0) <= 0).all():  # One block, at the start: prefix-LM.
        lengths = (ids >= 0).sum(axis=1)
        check_mask(record, prefix.prefix(lengths, *keep.shape[2:], offset=0))


CHECKS = {
    "causal": check_causal,
    "chunked": check_chunked,
    "window": check_window,
    "document": check_document,
    "padding": check_padding,
    "prefix": check_prefix,
}


@pytest.mark.parametrize("record", golden.parameters("masks"))
def test_masks(record: golden.Record) -> None:
    CHECKS[record.encoding](record)

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured masks as parts of a `compiled_attention.Graph`, and unions of masks."""

from __future__ import annotations

import numpy as np
from compiled_attention import Graph, Part, Sizes, Terms

from posenc.reference import block_sparse as block_sparse_reference
from posenc.reference import chunked as chunked_reference
from posenc.reference import document as document_reference
from posenc.reference import frequencies, rotary
from posenc.reference import global_tokens as global_reference
from posenc.reference import prefix as prefix_reference
from posenc.reference import tree as tree_reference

BATCHED = "tensor<?x1x?x?xi1>"


def _read(tensor: str, kind: str, at: str) -> str:
    return f"""
        %zero_{tensor} = arith.constant 0 : index
        {{m}} = tensor.extract %{tensor}[{at.replace("0", f"%zero_{tensor}")}] : {kind}
"""


def union(*parts: Part) -> Part:
    """A key is visible where any of `parts`, masks, says so."""
    steps, visible = [], None
    for number, part in enumerate(parts):
        mine = f"%in{number}"
        steps.append(part.mask.format(m=mine))
        if visible is None:
            visible = mine
            continue
        result = "{m}" if number == len(parts) - 1 else f"%or{number}"
        steps.append(f"\n        {result} = arith.ori {visible}, {mine} : i1\n")
        visible = result

    def terms(sizes: Sizes, *given: np.ndarray) -> Terms:
        mask, rest = np.zeros((1, 1, sizes.rows, sizes.keys), bool), list(given)
        for part in parts:
            own, rest = rest[: len(part.arguments)], rest[len(part.arguments) :]
            mask = mask | part.terms(sizes, *own).mask
        return Terms(mask=mask)

    return Part(
        arguments=tuple(argument for part in parts for argument in part.arguments),
        inputs=lambda rng, sizes: [array for part in parts for array in part.inputs(rng, sizes)],
        body="".join(part.body for part in parts),
        mask="".join(steps),
        terms=terms,
    )


# A prefix of a random length; rows are the first queries of the sequence.
PREFIX = Part(
    arguments=(("prefixes", "tensor<?xi64>"),),
    inputs=lambda rng, sizes: [rng.integers(0, sizes.keys + 1, sizes.batch)],
    body=f"""
  %prefix = posenc.prefix lengths(%prefixes : tensor<?xi64>) sizes(%batch, %rows, %keys) : {BATCHED}
""",
    mask=_read("prefix", BATCHED, "%b, 0, %i, %j"),
    terms=lambda sizes, lengths: Terms(
        mask=prefix_reference.prefix(lengths, sizes.rows, sizes.keys, offset=0)
    ),
)


def _block_ids(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
    """Runs of -1 (text), 0, -1, 1, ..."""
    ids = np.arange(max(sizes.rows, sizes.keys)) // rng.integers(3, 40, (sizes.batch, 1))
    ids = np.where(ids % 2, ids // 2, -1).astype(np.int32)
    return [ids[:, : sizes.rows], ids[:, : sizes.keys]]


IMAGES = Part(
    arguments=(("query_blocks", "tensor<?x?xi32>"), ("key_blocks", "tensor<?x?xi32>")),
    inputs=_block_ids,
    body=f"""
  %images = posenc.prefix query_blocks(%query_blocks : tensor<?x?xi32>)
      key_blocks(%key_blocks : tensor<?x?xi32>) sizes(%batch, %rows, %keys) : {BATCHED}
""",
    mask=_read("images", BATCHED, "%b, 0, %i, %j"),
    terms=lambda sizes, rows, keys: Terms(mask=prefix_reference.blocks(rows, keys, offset=0)),
)


def chunks(chunk: int) -> Part:
    """Chunks from a random start on; the last row is the last key."""

    def terms(sizes: Sizes, starts: np.ndarray) -> Terms:
        mask = chunked_reference.chunked(
            sizes.rows, sizes.keys, chunk=chunk, offset=sizes.keys - sizes.rows, starts=starts
        )
        return Terms(mask=mask)

    return Part(
        arguments=(("starts", "tensor<?xi64>"),),
        inputs=lambda rng, sizes: [rng.integers(0, chunk, sizes.batch)],
        body=f"""
  %chunk_from = arith.subi %keys, %rows : index
  %chunks = posenc.chunked sizes(%batch, %rows, %keys) offset(%chunk_from)
      starts(%starts : tensor<?xi64>) {{chunk = {chunk} : i64}} : {BATCHED}
""",
        mask=_read("chunks", BATCHED, "%b, 0, %i, %j"),
        terms=terms,
    )


GLOBALS = Part(
    arguments=(("query_global", "tensor<?x?xi1>"), ("key_global", "tensor<?x?xi1>")),
    inputs=lambda rng, sizes: [
        rng.random((sizes.batch, length)) < 0.05 for length in (sizes.rows, sizes.keys)
    ],
    body=f"""
  %global = posenc.global_tokens query_global(%query_global : tensor<?x?xi1>)
      key_global(%key_global : tensor<?x?xi1>) sizes(%batch, %rows, %keys) : {BATCHED}
""",
    mask=_read("global", BATCHED, "%b, 0, %i, %j"),
    terms=lambda sizes, rows, keys: Terms(mask=global_reference.global_tokens(rows, keys)),
)


def tree(packed: bool) -> Part:
    """A random tree of the rows, behind a random number of cached keys for each batch entry."""
    kind = "tensor<?x?x?xi32>" if packed else "tensor<?x?x?xi1>"

    def inputs(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        matrix = np.zeros((sizes.batch, sizes.rows, sizes.rows), bool)
        for b in range(sizes.batch):
            matrix[b] = tree_reference.ancestors(rng.integers(-1, np.arange(sizes.rows)))
        cached = rng.integers(0, max(sizes.keys - sizes.rows, 0) + 1, sizes.batch)
        return [tree_reference.packed(matrix) if packed else matrix, cached]

    def terms(sizes: Sizes, ancestors: np.ndarray, cached: np.ndarray) -> Terms:
        matrix = tree_reference.unpacked(ancestors, sizes.rows) if packed else ancestors
        return Terms(mask=tree_reference.tree(matrix, cached, sizes.keys))

    return Part(
        arguments=(("ancestors", kind), ("cached", "tensor<?xi64>")),
        inputs=inputs,
        body=f"""
  %tree = posenc.tree ancestors(%ancestors : {kind}) cached(%cached : tensor<?xi64>)
      sizes(%batch, %rows, %keys) : {BATCHED}
""",
        mask=_read("tree", BATCHED, "%b, 0, %i, %j"),
        terms=terms,
    )


def blocks(heads: int, query_block: int, key_block: int) -> Part:
    """A random map of visible blocks for each head; the first sees none in its first block row."""

    def inputs(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        extents = (max(-(-sizes.rows // query_block), 1), max(-(-sizes.keys // key_block), 1))
        drawn = rng.random((1, heads, *extents)) < 0.4
        drawn[0, 0, 0] = False
        return [drawn]

    kind, result = f"tensor<1x{heads}x?x?xi1>", f"tensor<1x{heads}x?x?xi1>"
    return Part(
        arguments=(("blocks", kind),),
        inputs=inputs,
        body=f"""
  %sparse = posenc.block_sparse blocks(%blocks : {kind}) sizes(%rows, %keys)
      {{query_block = {query_block} : i64, key_block = {key_block} : i64}} : {result}
""",
        mask=_read("sparse", result, "0, %h, %i, %j"),
        terms=lambda sizes, given: Terms(
            mask=block_sparse_reference.block_sparse(
                given, sizes.rows, sizes.keys, query_block=query_block, key_block=key_block
            )
        ),
    )


def packed_documents(graph: Graph) -> Part:
    """Documents by their boundaries: ids that mask, positions that turn q and k (self-attention)."""
    width = graph.width

    def boundaries(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        assert sizes.rows == sizes.keys
        inner = np.sort(rng.integers(0, sizes.rows + 1, 3))
        return [np.array([0, *inner], np.int32)]

    def terms(sizes: Sizes, bounds: np.ndarray) -> Terms:
        # What lies behind the last boundary is a document of its own.
        ids = document_reference.ids_from_cumulative_lengths(
            np.append(bounds, sizes.rows), sizes.rows
        )[np.newaxis]
        positions = document_reference.reset_positions(ids)
        inv_freq, _ = frequencies.default(width, 10000.0)

        def turn(x: np.ndarray) -> np.ndarray:
            return rotary.rotary(x, positions, inv_freq, lanes="half")

        return Terms(mask=document_reference.document(ids, ids), turn_query=turn, turn_key=turn)

    turned = "".join(
        f"""
  %{name}_packed = posenc.rotary %{name} positions(%packed_at : tensor<1x?xi32>)
      lanes(<half, first = 0, count = {width}>)
      frequencies(#posenc.frequencies<base = 10000.0>) layout(<{graph.layouts[operand]}>) : {graph.type(operand)}
"""
        for operand, name in enumerate("qk")
    )
    return Part(
        arguments=(("boundaries", "tensor<?xi32>"),),
        inputs=boundaries,
        body=f"""
  %packed_ids = posenc.document_ids %boundaries sizes(%rows) number(<id>)
      : tensor<?xi32> -> tensor<1x?xi32>
  %packed_at = posenc.document_ids %boundaries sizes(%rows) number(<position>)
      : tensor<?xi32> -> tensor<1x?xi32>
  %packed = posenc.document query_ids(%packed_ids : tensor<1x?xi32>)
      key_ids(%packed_ids : tensor<1x?xi32>) sizes(%batch, %rows, %keys) : {BATCHED}
{turned}""",
        mask=_read("packed", BATCHED, "%b, 0, %i, %j"),
        query="%q_packed",
        key="%k_packed",
        terms=terms,
    )

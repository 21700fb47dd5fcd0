# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings that queries and keys decide, as parts of a `compiled_attention.Graph`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from compiled_attention import NUMPY, Graph, Part, Sizes, Terms
from encoding_parts import Number, _add_bias, _index

from posenc.reference import causal as causal_reference
from posenc.reference import cope as cope_reference
from posenc.reference import decomposed_2d as decomposed_reference
from posenc.reference import disentangled as disentangled_reference
from posenc.reference import shaw as shaw_reference
from posenc.reference import transformer_xl as transformer_xl_reference

Bias = Callable[[Sizes, np.ndarray, np.ndarray, list[np.ndarray]], np.ndarray]


def content(name: str, graph: Graph, operands: str, attributes: str, tables: dict[str, str], bias: Bias, *,
            shapes: Callable[[Sizes], list[tuple[int, ...]]], offset: int | None = 0, body: str = "",
            sized: bool = True) -> Part:
    """posenc.NAME, whose `tables` (name to type) are drawn with the extents of `shapes`.

    operands: its text, in which {q} and {k} are the types of the query and the key.
    """
    result = f"tensor<?x{graph.heads}x?x?xf32>"
    shift = "" if offset is None else f"offset(%{name}_at)"
    sizes = f"sizes(%batch, %rows, %keys) {shift}" if sized else ""
    types = {"q": graph.type(0), "k": graph.type(1)}

    def inputs(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        drawn = [(rng.standard_normal(shape) / 2).astype(NUMPY[kind.rstrip(">").split("x")[-1]])
                 for kind, shape in zip(tables.values(), shapes(sizes))]
        return drawn + ([] if offset is None else [np.asarray(offset, np.int64)])

    return Part(
        arguments=tuple(tables.items()) + (((f"{name}_at_t", Number),) if offset is not None else ()),
        inputs=inputs,
        body=("" if offset is None else _index(f"{name}_at")) + body
        + f"\n  %{name}_bias = posenc.{name} {operands.format(**types)} {sizes} {attributes} : {result}\n",
        score=_add_bias(f"{name}_bias", result, "%b, %h, %i, %j"),
        terms=lambda sizes, *given: Terms(content=lambda q, k: bias(sizes, q, k, list(given))),
    )


def shaw(graph: Graph, *, of: str = "q", rows: int = 9, left: int = 4, relative: str = "key_minus_query",
         outside: str = "clip", by_head: bool = False, element: str = "f32", offset: int = 0) -> Part:
    """of: "q", "k" or "qk"."""
    shape = (graph.heads, rows, graph.width) if by_head else (rows, graph.width)
    kind = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    given = " ".join(f"{'query' if side == 'q' else 'key'}(%{side} : {{{side}}})" for side in of)

    def bias(sizes: Sizes, q: np.ndarray, k: np.ndarray, inputs: list[np.ndarray]) -> np.ndarray:
        vectors = shaw_reference.embeddings(inputs[0], sizes.rows, sizes.keys, left=left, relative=relative,
                                            outside=outside, offset=offset)
        keys = np.repeat(k, graph.heads // graph.kv_heads, axis=1)
        return shaw_reference.bias(vectors, query=q if "q" in of else None, key=keys if "k" in of else None)

    return content("shaw", graph, f"{given} table(%shaw_table : {kind})",
                   f"relative(<{relative}>) outside(<{outside}>) {{left = {left} : i64}}", {"shaw_table": kind}, bias,
                   shapes=lambda sizes: [shape], offset=offset)


def disentangled(graph: Graph, *, terms: str = "c2p+p2c", rows: int = 16, by_head: bool = True,
                 buckets: tuple[int, int] | None = None, element: str = "f32", offset: int = 0) -> Part:
    """buckets: (bucket_size, max_position) of logarithmic ones."""
    shape = (graph.heads, rows, graph.width) if by_head else (rows, graph.width)
    kind = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    tables = {"pos_key": "c2p", "pos_query": "p2c"}
    tables = {table: kind for table, term in tables.items() if term in terms}
    operands = {"pos_key": f"query(%q : {{q}}) pos_key(%pos_key : {kind})",
                "pos_query": f"key(%k : {{k}}) pos_query(%pos_query : {kind})"}
    attributes = "buckets(<identity>)"
    if buckets:
        attributes = f"buckets(<logarithmic>) {{bucket_size = {buckets[0]} : i64, max_position = {buckets[1]} : i64}}"

    def bias(sizes: Sizes, q: np.ndarray, k: np.ndarray, inputs: list[np.ndarray]) -> np.ndarray:
        size, most = buckets or (None, None)
        index = disentangled_reference.rows(sizes.rows, sizes.keys, span=rows // 2, bucket_size=size,
                                            max_position=most, offset=offset)
        given = dict(zip(tables, inputs))
        return disentangled_reference.bias(
            index, query=q, pos_key=given.get("pos_key"),
            key=np.repeat(k, graph.heads // graph.kv_heads, axis=1), pos_query=given.get("pos_query"))

    return content("disentangled", graph, " ".join(operands[table] for table in tables), attributes, tables, bias,
                   shapes=lambda sizes: [shape] * len(tables), offset=offset)


def transformer_xl(graph: Graph, *, rows: str, count: Callable[[Sizes], int], static: int | None = None,
                   query_bias: bool = True, element: str = "f32", offset: int = 0) -> Part:
    """count: the rows of the table; static: that number, where the type has it."""
    tables = {"relative": f"tensor<{graph.heads}x{static or '?'}x{graph.width}x{element}>"}
    if query_bias:
        tables["query_bias"] = f"tensor<{graph.heads}x{graph.width}x{element}>"
    given = f"query_bias(%query_bias : {tables['query_bias']}) " if query_bias else ""
    return content(
        "transformer_xl", graph, f"query(%q : {{q}}) {given}relative(%relative : {tables['relative']})",
        f"rows(<{rows}>)", tables,
        lambda sizes, q, k, inputs: transformer_xl_reference.bias(
            q, inputs[0], sizes.keys, rows=rows, query_bias=inputs[1] if query_bias else None, offset=offset),
        shapes=lambda sizes: [(graph.heads, count(sizes), graph.width), (graph.heads, graph.width)],
        offset=None if rows == "conformer" else offset)


def decomposed_2d(graph: Graph, *, query_grid: tuple[int, int], key_grid: tuple[int, int],
                  class_token: bool = False) -> Part:
    shapes = [(2 * max(sizes) - 1, graph.width) for sizes in zip(query_grid, key_grid)]
    tables = {name: f"tensor<{rows}x{width}xf32>" for name, (rows, width) in zip(("rel_h", "rel_w"), shapes)}
    return content(
        "decomposed_2d", graph,
        f"query(%q : {{q}}) rel_h(%rel_h : {tables['rel_h']}) rel_w(%rel_w : {tables['rel_w']})",
        f"query_grid({list(query_grid)}) key_grid({list(key_grid)}) {'class_token' if class_token else ''}", tables,
        lambda sizes, q, k, inputs: decomposed_reference.bias(
            q, *inputs[:2], query_grid=query_grid, key_grid=key_grid, class_token=class_token),
        shapes=lambda sizes: shapes, offset=None)


def cope(graph: Graph, *, rows: int, causal: bool) -> Part:
    table = f"tensor<{rows}x{graph.width}xf32>"
    seen = "mask(%counted : tensor<1x1x?x?xi1>)" if causal else ""
    return content(
        "cope", graph, f"query(%q : {{q}}) key(%k : {{k}}) table(%cope_table : {table}) scale(%scale) {seen}", "",
        {"cope_table": table},
        lambda sizes, q, k, inputs: cope_reference.bias(
            q, k, inputs[0], scale=graph.factor(),
            mask=causal_reference.causal(sizes.rows, sizes.keys, offset=0) if causal else None),
        shapes=lambda sizes: [(rows, graph.width)], offset=None, sized=False,
        body="\n  %counted = posenc.causal sizes(%rows, %keys) : tensor<1x1x?x?xi1>" if causal else "")

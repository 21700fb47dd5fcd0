# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks and biases at the edges of their types, compiled and compared with float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from tools import compiled

ROWS, KEYS, SIZE = 66, 300, 16


class Formula(NamedTuple):
    """A region body that yields %c, of %i and %j and a window %w; its float64 value."""

    body: str
    value: Callable[[np.ndarray, np.ndarray], np.ndarray]
    window: np.ndarray | None = None


def window(type_: str, size: int, right: bool = True) -> Formula:
    """Keys at most `size` after the row, or before it, where `size` is given at run time."""
    sign = "%a, %b" if right else "%b, %a"
    body = f"""%a = arith.index_cast %j : index to {type_}
      %b = arith.index_cast %i : index to {type_}
      %w = tensor.extract %given[] : tensor<{type_}>
      %d = arith.subi {sign} : {type_}
      %c = arith.cmpi sle, %d, %w : {type_}"""
    return Formula(
        body,
        lambda i, j: (j - i if right else i - j) <= size,
        np.array(size, np.dtype(type_.replace("i", "int"))),
    )


MASKS = {
    "parity": Formula(
        """%a = arith.index_cast %j : index to i32
      %c = arith.trunci %a : i32 to i1""",
        lambda i, j: j % 2 == 1,
    ),
    "sign_of_condition": Formula(
        """%zero = arith.constant 0 : i32
      %le = arith.cmpi sle, %j, %i : index
      %n = arith.extsi %le : i1 to i32
      %c = arith.cmpi slt, %n, %zero : i32""",
        lambda i, j: j <= i,
    ),
    "sum_of_conditions": Formula(
        """%n = arith.constant 9 : index
      %le = arith.cmpi sle, %j, %i : index
      %far = arith.cmpi sgt, %j, %n : index
      %c = arith.addi %le, %far : i1""",
        lambda i, j: (j <= i) ^ (j > 9),
    ),
    "byte": Formula(
        """%zero = arith.constant 0 : i8
      %a = arith.index_cast %j : index to i8
      %c = arith.cmpi sge, %a, %zero : i8""",
        lambda i, j: j % 256 < 128,
    ),
    "byte_difference": Formula(
        """%zero = arith.constant 0 : i8
      %a = arith.index_cast %j : index to i8
      %b = arith.index_cast %i : index to i8
      %d = arith.subi %a, %b : i8
      %c = arith.cmpi sle, %d, %zero : i8""",
        lambda i, j: (j - i).astype(np.int8) <= 0,
    ),
    "linear_index": Formula(
        """%n = arith.constant 268435456 : index
      %r = arith.muli %i, %n : index
      %l = arith.addi %r, %j : index
      %x = arith.divsi %l, %n : index
      %y = arith.remsi %l, %n : index
      %c = arith.cmpi sle, %y, %x : index""",
        lambda i, j: j <= i,
    ),
    "window_of_all_i64": window("i64", 2**63 - 1),
    "window_before_of_all_i64": window("i64", 2**63 - 1, right=False),
    "window_of_all_i32": window("i32", 2**31 - 1),
    "window_of_none_before_i64": window("i64", 7, right=False),
}


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Attention in float64, [ROWS, SIZE]; a row without a key is zero."""
    scores = np.where(mask, q.astype(float) @ k.astype(float).T * 0.25, -np.inf)
    weights = np.exp(scores - np.maximum(scores.max(1, keepdims=True), -1e300))
    return weights @ v / np.maximum(weights.sum(1, keepdims=True), 1e-300)


@pytest.mark.parametrize("rows", [1, ROWS])
@pytest.mark.parametrize("name", MASKS)
def test_a_mask_hides_what_its_ops_say(name: str, rows: int) -> None:
    formula = MASKS[name]
    given = formula.window
    argument = "" if given is None else f", %given: tensor<{str(given.dtype).replace('int', 'i')}>"
    queries, keys = f"tensor<1x1x?x{SIZE}xf32>", f"tensor<1x1x?x{SIZE}xf32>"
    text = f"""func.func @f(%q: {queries}, %k: {keys}, %v: {keys}{argument}) -> {queries} {{
  %s = arith.constant 0.25 : f32
  %two = arith.constant 2 : index
  %rows = tensor.dim %q, %two : {queries}
  %out = tensor.empty(%rows) : {queries}
  %r = posenc.attention query(%q : {queries}) key(%k : {keys}) value(%v : {keys}) scale(%s)
      outs(%out : {queries})
    mask(%batch, %head, %i, %j) {{
      {formula.body}
      posenc.yield %c : i1
    }} -> {queries}
  return %r : {queries}
}}"""
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (draw((1, 1, n, SIZE)).astype(np.float32) for n in (rows, KEYS, KEYS))
    extra = () if given is None else (given,)
    mask = formula.value(np.arange(rows)[:, None], np.arange(KEYS)[None, :])
    expected = reference(q[0, 0], k[0, 0], v[0, 0], np.broadcast_to(mask, (rows, KEYS)))
    assert np.abs(compiled(text)(q, k, v, *extra)[0, 0] - expected).max() < 5e-6


def test_documents_without_keys() -> None:
    """Block ranges of document ids of no key are read nowhere."""
    queries, ids = f"tensor<1x1x?x{SIZE}xf32>", "tensor<1x?xi64>"
    text = f"""func.func @f(%q: {queries}, %k: {queries}, %mine: {ids}, %theirs: {ids})
    -> {queries} {{
  %s = arith.constant 0.25 : f32
  %two = arith.constant 2 : index
  %rows = tensor.dim %q, %two : {queries}
  %out = tensor.empty(%rows) : {queries}
  %r = posenc.attention query(%q : {queries}) key(%k : {queries}) value(%k : {queries}) scale(%s)
      outs(%out : {queries})
    mask(%batch, %head, %i, %j) {{
      %x = tensor.extract %mine[%batch, %i] : {ids}
      %y = tensor.extract %theirs[%batch, %j] : {ids}
      %c = arith.cmpi eq, %x, %y : i64
      posenc.yield %c : i1
    }} -> {queries}
  return %r : {queries}
}}"""
    function = compiled(text)
    draw = np.random.default_rng(0).standard_normal
    q = draw((1, 1, 70, SIZE)).astype(np.float32)
    mine = np.repeat(np.arange(7), 10)[None]
    none = function(q, q[:, :, :0], mine, mine[:, :0])
    assert (none == 0).all()
    expected = reference(q[0, 0], q[0, 0], q[0, 0], mine.T == mine)
    assert np.abs(function(q, q, mine, mine)[0, 0] - expected).max() < 5e-6


def test_clamped_key_is_no_key() -> None:
    """A bias read at min(j, 100), between contractions, is not read at j."""
    x, scores = f"tensor<1x1x?x{SIZE}xf32>", "tensor<1x1x?x?xf32>"
    parallel = '"parallel", "parallel", "parallel", "parallel"'
    product = """%m = arith.mulf %a, %b : f32
    %n = arith.addf %c, %m : f32
    linalg.yield %n : f32"""
    text = f"""
#q = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#k = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#p = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#v = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#o = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
func.func @f(%q: {x}, %k: {x}, %v: {x}, %t: tensor<512xf32>) -> {x} {{
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %lq = tensor.dim %q, %c2 : {x}
  %lk = tensor.dim %k, %c2 : {x}
  %e = tensor.empty(%lq, %lk) : {scores}
  %e0 = linalg.fill ins(%z : f32) outs(%e : {scores}) -> {scores}
  %s0 = linalg.generic {{indexing_maps = [#q, #k, #s], iterator_types = [{parallel}, "reduction"]}}
      ins(%q, %k : {x}, {x}) outs(%e0 : {scores}) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    {product}
  }} -> {scores}
  %s1 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = [{parallel}]}}
      ins(%s0 : {scores}) outs(%e : {scores}) {{
  ^bb0(%a: f32, %c: f32):
    %j = linalg.index 3 : index
    %last = arith.constant 100 : index
    %at = arith.minsi %j, %last : index
    %bias = tensor.extract %t[%at] : tensor<512xf32>
    %scale = arith.constant 0.25 : f32
    %scaled = arith.mulf %a, %scale : f32
    %y = arith.addf %scaled, %bias : f32
    linalg.yield %y : f32
  }} -> {scores}
  %pr = linalg.softmax dimension(3) ins(%s1 : {scores}) outs(%e : {scores}) -> {scores}
  %oe = tensor.empty(%lq) : {x}
  %o0 = linalg.fill ins(%z : f32) outs(%oe : {x}) -> {x}
  %r = linalg.generic {{indexing_maps = [#p, #v, #o], iterator_types = [{parallel}, "reduction"]}}
      ins(%pr, %v : {scores}, {x}) outs(%o0 : {x}) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    {product}
  }} -> {x}
  return %r : {x}
}}"""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 1, KEYS, SIZE)).astype(np.float32) for _ in range(3))
    table = rng.standard_normal(512).astype(np.float32)
    scores_ = q[0, 0].astype(float) @ k[0, 0].T * 0.25 + table[np.minimum(np.arange(KEYS), 100)]
    weights = np.exp(scores_ - scores_.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v[0, 0]
    assert np.abs(compiled(text)(q, k, v, table)[0, 0] - expected).max() < 5e-6

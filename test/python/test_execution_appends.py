# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ragged decoding over caches that `posenc.cache_append` writes: behind the keys, and around a ring."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_attention import NUMPY, TOLERANCE, compiled

import posenc
from posenc.reference import attention as oracle
from posenc.reference import cache_append, frequencies, rotary

HEADS, KV_HEADS, D = 4, 2, 16
LEFT = 4
FREQUENCIES = frequencies.default(D, 10000.0)[0]
TURN = "lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>)"

BEHIND = """
        %e = tensor.extract %lengths[%b] : tensor<?xi64>
        %length = arith.index_cast %e : i64 to index
        %row = arith.addi %length, %i : index
        %m = arith.cmpi sle, %j, %row : index"""
AROUND = """
        %zero = arith.constant 0 : index
        %m = tensor.extract %seen[%b, %zero, %i, %j] : tensor<?x1x?x?xi1>"""


def step(element: str, ring: bool) -> str:
    """Some tokens: rotate by `at`, append at `lengths`, attend over what the caches hold."""
    q, kv = f"tensor<?x{HEADS}x?x{D}x{element}>", f"tensor<?x{KV_HEADS}x?x{D}x{element}>"
    word = "ring" if ring else ""
    append = f"at(%lengths : tensor<?xi64>) layout(<bhld>) {word}"
    return f"""
func.func @step(%q: {q} {{posenc.name = "q", posenc.symbols = ["B", "", "N", ""]}},
                %k: {kv} {{posenc.name = "k", posenc.symbols = ["B", "", "N", ""]}},
                %v: {kv} {{posenc.name = "v", posenc.symbols = ["B", "", "N", ""]}},
                %keys: {kv} {{posenc.name = "keys", posenc.symbols = ["B", "", "S", ""], posenc.donated = 1 : i64}},
                %values: {kv} {{posenc.name = "values", posenc.symbols = ["B", "", "S", ""], posenc.donated = 2 : i64}},
                %lengths: tensor<?xi64> {{posenc.name = "lengths", posenc.symbols = ["B"]}},
                %at: tensor<?x?xi64> {{posenc.name = "at", posenc.symbols = ["B", "N"]}})
    -> ({q} {{posenc.name = "output"}}, {kv} {{posenc.name = "new_keys"}}, {kv} {{posenc.name = "new_values"}}) {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %batch = tensor.dim %q, %c0 : {q}
  %n = tensor.dim %q, %c2 : {q}
  %s = tensor.dim %keys, %c2 : {kv}
  %qr = posenc.rotary %q positions(%at : tensor<?x?xi64>) {TURN} : {q}
  %kr = posenc.rotary %k positions(%at : tensor<?x?xi64>) {TURN} : {kv}
  %new_keys = posenc.cache_append %kr {append} outs(%keys : {kv}) : {kv}
  %new_values = posenc.cache_append %v {append} outs(%values : {kv}) : {kv}
  %left = arith.constant {LEFT} : index
  %seen = posenc.ring lengths(%lengths : tensor<?xi64>) sizes(%batch, %n, %s) left(%left) : tensor<?x1x?x?xi1>
  %init = tensor.empty(%batch, %n) : {q}
  %o = posenc.attention query(%qr : {q}) key(%new_keys : {kv}) value(%new_values : {kv}) scale(%scale)
      outs(%init : {q}) mask(%b, %h, %i, %j) {{ {AROUND if ring else BEHIND}
        posenc.yield %m : i1
      }} -> {q}
  return %o, %new_keys, %new_values : {q}, {kv}, {kv}
}}"""


def turned(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return rotary.rotary(x, positions, FREQUENCIES, lanes="half")


def draw(rng: np.random.Generator, heads: int, total: int, element: str) -> np.ndarray:
    return rng.standard_normal((3, heads, total, D)).astype(NUMPY[element])


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("element, ring", [("f32", False), ("bf16", False), ("f32", True)])
def test_ragged_decoding(element: str, ring: bool, fuse: bool) -> None:
    """Five steps of sequences that are 3, 0 and 7 long: each as the rows of one pass of its own."""
    function = compiled(step(element, ring), fuse)
    slots, total = (8, 18) if ring else (40, 18)
    rng = np.random.default_rng(0)
    q, k, v = (draw(rng, heads, total, element) for heads in (HEADS, KV_HEADS, KV_HEADS))
    distance = np.arange(total)[:, np.newaxis] - np.arange(total)
    mask = (distance >= 0) & (distance <= LEFT) if ring else distance >= 0
    weights, _ = oracle.probabilities(
        turned(q, np.arange(total)), turned(k, np.arange(total)), scale=0.25, mask=mask
    )
    value = v.astype(np.float64)
    expected, scale = oracle.weighted_sum(weights, value), oracle.error_scale(weights, value)

    lengths = np.array([3, 0, 7])
    caches = [np.full((3, KV_HEADS, slots, D), np.nan, NUMPY[element]) for _ in range(2)]
    for entry, length in enumerate(lengths):
        held = (turned(k, np.arange(total)), v)
        for cache, rows in zip(caches, held):
            cache[entry, :, :length] = rows[entry, :, :length].astype(NUMPY[element])
    kept = caches[1].copy()
    for count in (1, 2, 1, 3, 1):
        at = lengths[:, np.newaxis] + np.arange(count)
        new = [np.stack([x[entry][:, rows] for entry, rows in enumerate(at)]) for x in (q, k, v)]
        output = function(*new, *caches, lengths, at)
        for entry, rows in enumerate(at):
            error = np.abs(output[entry].astype(np.float64) - expected[entry][:, rows]).max(axis=-1)
            allowed = TOLERANCE[element] * (1 if element == "f32" else 4)
            assert (error / scale[entry][:, rows]).max() <= allowed
        kept = cache_append.cache_append(kept, new[2], lengths, ring=ring)
        np.testing.assert_array_equal(*(x.astype(np.float32) for x in (caches[1], kept)))
        lengths += count


@pytest.mark.parametrize(
    "ring, lengths, count, message",
    [
        (False, [3, 39], 2, "appended rows end after the last row of their cache"),
        (False, [0, -1], 1, "a length of a cache is negative"),
        (True, [0, 0], 41, "more rows are appended to a ring cache than it has"),
    ],
)
def test_rows_that_do_not_fit(ring: bool, lengths: list, count: int, message: str) -> None:
    """Nothing is written: not even for the sequences whose rows fit."""
    function = compiled(step("f32", ring))
    q = np.zeros((2, HEADS, count, D), np.float32)
    k = np.zeros((2, KV_HEADS, count, D), np.float32)
    keys, values = np.full((2, 2, KV_HEADS, 40, D), 7, np.float32)
    with pytest.raises(posenc.Error, match=message):
        function(q, k, k, keys, values, np.array(lengths), np.zeros((2, count), np.int64))
    assert (keys == 7).all() and (values == 7).all()


def test_caches_are_written_in_place() -> None:
    """A donated cache is an argument, and no output of its own."""
    function = compiled(step("f32", False))
    assert [argument.name for argument in function.signature.outputs] == ["output"]


def test_cached_keys_are_shifted_by_one_rotation() -> None:
    """Keys rotated at m and then by s are keys rotated at m + s: one rotation is left."""
    kind = f"tensor<?x{KV_HEADS}x?x{D}xf32>"
    text = f"""
func.func @shift(%x: {kind} {{posenc.symbols = ["B", "", "N", ""]}},
                 %at: tensor<?x?xi64> {{posenc.symbols = ["B", "N"]}},
                 %by: tensor<?x?xi64> {{posenc.symbols = ["B", "N"]}}) -> {kind} {{
  %keys = posenc.rotary %x positions(%at : tensor<?x?xi64>) {TURN} : {kind}
  %shifted = posenc.rotary %keys positions(%by : tensor<?x?xi64>) {TURN} : {kind}
  return %shifted : {kind}
}}"""
    function = compiled(text)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, KV_HEADS, 5, D)).astype(np.float32)
    at, by = rng.integers(0, 1000, (2, 5)), np.array([[-7] * 5, [100] * 5])
    np.testing.assert_allclose(function(x, at, by), turned(x, at + by), rtol=0, atol=2e-6)

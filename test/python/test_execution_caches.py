# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoding over a donated key-value cache, and caches whose strides pass 2^31 elements."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest
from compiled_attention import TOLERANCE, NUMPY, Graph, Sizes, compiled

import posenc
from posenc import _dlpack
from posenc.reference import attention as oracle
from posenc.reference import frequencies, rotary

HEADS, KV_HEADS, D = 4, 2, 16


def step(element: str, layout: str = "bhld") -> str:
    """One or more tokens: rotate, write into the caches at `past`, attend causally over them.

    query, key, value: [B, H, N, D]; caches [B, Hkv, S, D], updated in place.
    """
    q, kv, cache = (
        f"tensor<?x{HEADS}x?x{D}x{element}>",
        f"tensor<?x{KV_HEADS}x?x{D}x{element}>",
        f"tensor<?x{KV_HEADS}x?x{D}x{element}>",
    )
    turn = "lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>)"
    return f"""
func.func @step(%q: {q} {{posenc.name = "q", posenc.symbols = ["B", "", "N", ""]}},
                %k: {kv} {{posenc.name = "k", posenc.symbols = ["B", "", "N", ""]}},
                %v: {kv} {{posenc.name = "v", posenc.symbols = ["B", "", "N", ""]}},
                %keys: {cache} {{posenc.name = "keys", posenc.symbols = ["B", "", "S", ""], posenc.donated = 1 : i64}},
                %values: {cache} {{posenc.name = "values", posenc.symbols = ["B", "", "S", ""], posenc.donated = 2 : i64}},
                %past_t: tensor<i64> {{posenc.name = "past"}})
    -> ({q} {{posenc.name = "output"}}, {cache} {{posenc.name = "new_keys"}}, {cache} {{posenc.name = "new_values"}}) {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %past_e = tensor.extract %past_t[] : tensor<i64>
  %past = arith.index_cast %past_e : i64 to index
  %batch = tensor.dim %q, %c0 : {q}
  %n = tensor.dim %q, %c2 : {q}
  %s = tensor.dim %keys, %c2 : {cache}
  %qr = posenc.rotary %q offset(%past) {turn} : {q}
  %kr = posenc.rotary %k offset(%past) {turn} : {kv}
  %new_keys = tensor.insert_slice %kr into %keys[0, 0, %past, 0] [%batch, {KV_HEADS}, %n, {D}] [1, 1, 1, 1] : {kv} into {cache}
  %new_values = tensor.insert_slice %v into %values[0, 0, %past, 0] [%batch, {KV_HEADS}, %n, {D}] [1, 1, 1, 1] : {kv} into {cache}
  %visible = posenc.causal sizes(%n, %s) offset(%past) : tensor<1x1x?x?xi1>
  %init = tensor.empty(%batch, %n) : {q}
  %o = posenc.attention query(%qr : {q}) key(%new_keys : {cache}) value(%new_values : {cache}) scale(%scale)
      outs(%init : {q}) mask(%b, %h, %i, %j) {{
        %zero = arith.constant 0 : index
        %m = tensor.extract %visible[%zero, %zero, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %m : i1
      }} -> {q}
  return %o, %new_keys, %new_values : {q}, {cache}, {cache}
}}"""


def turned(x: np.ndarray, start: int) -> np.ndarray:
    positions = start + np.arange(x.shape[2])
    return rotary.rotary(x, positions, frequencies.default(D, 10000.0)[0], lanes="half")


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_decoding_updates_the_caches_in_place(element: str, fuse: bool) -> None:
    """A prompt of 5, then steps of 1, 1, 3 and 1: each as the rows of one full pass. Slots ahead hold NaN."""
    function = compiled(step(element), fuse)
    batch, slots, total = 2, 40, 11
    rng = np.random.default_rng(0)
    q = rng.standard_normal((batch, HEADS, total, D)).astype(NUMPY[element])
    k, v = (
        rng.standard_normal((batch, KV_HEADS, total, D)).astype(NUMPY[element]) for _ in range(2)
    )
    mask = np.tri(total, dtype=bool)
    weights, _ = oracle.probabilities(turned(q, 0), turned(k, 0), scale=0.25, mask=mask)
    expected, scale = (
        oracle.weighted_sum(weights, v.astype(np.float64)),
        oracle.error_scale(weights, v),
    )
    keys, values = (np.full((batch, KV_HEADS, slots, D), np.nan, NUMPY[element]) for _ in range(2))
    past = 0
    for count in (5, 1, 1, 3, 1):
        now = slice(past, past + count)
        output = function(q[:, :, now], k[:, :, now], v[:, :, now], keys, values, np.asarray(past))
        error = (
            np.abs(output.astype(np.float64) - expected[:, :, now]).max(axis=-1) / scale[:, :, now]
        )
        assert error.max() <= TOLERANCE[element] * (1 if element == "f32" else 4)
        past += count
        np.testing.assert_array_equal(values[:, :, :past], v[:, :, :past])
        assert np.isnan(keys[:, :, past:].astype(np.float32)).all()
        assert np.isnan(values[:, :, past:].astype(np.float32)).all()


def test_a_donated_cache_is_one_argument() -> None:
    function = compiled(step("f32"))
    assert [argument.name for argument in function.signature.outputs] == ["output"]
    assert [argument.name for argument in function.signature.arguments if argument.is_donated] == [
        "keys",
        "values",
    ]


# Address space that costs nothing until it is touched.
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype, LIBC.mmap.argtypes = (
    ctypes.c_void_p,
    [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long],
)
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
MAP_NORESERVE = 0x4000


class Reserved:
    """A float32 array of `extents` whose axis `axis` is `stride` elements apart, over reserved memory."""

    def __init__(self, extents: tuple[int, ...], axis: int, stride: int):
        self.bytes = 4 * (extents[axis] * stride + int(np.prod(extents)))
        self.address = LIBC.mmap(
            None,
            self.bytes,
            mmap.PROT_READ | mmap.PROT_WRITE,
            mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE,
            -1,
            0,
        )
        if self.address in (None, ctypes.c_void_p(-1).value):
            pytest.skip(f"{self.bytes >> 30} GiB of address space are not to be had")
        memory = np.frombuffer((ctypes.c_char * self.bytes).from_address(self.address), np.float32)
        strides = list(np.zeros(extents, np.int8).strides)
        strides = [4 * each for each in strides]
        strides[axis] = 4 * stride
        self.array = np.lib.stride_tricks.as_strided(memory, extents, strides)

    def __enter__(self) -> np.ndarray:
        return self.array

    def __exit__(self, *error: object) -> None:
        LIBC.munmap(self.address, self.bytes)


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("axis", [0, 1, 2], ids=["batch", "head", "row"])
@pytest.mark.parametrize("rows", [1, 3, 70])
def test_strides_past_two_to_the_31_elements(axis: int, rows: int, fuse: bool) -> None:
    graph = Graph(kv_heads=2, width=64, value_width=64)
    sizes = Sizes(2, rows, 2)
    (q, k, v), extra = graph.draw(sizes)
    with (
        Reserved(k.shape, axis, 2**31) as far_keys,
        Reserved(v.shape, axis, 2**31 + 64) as far_values,
    ):
        far_keys[...], far_values[...] = k, v
        graph.expected(sizes, (q, k, v), extra).compare(
            graph.call((q, far_keys, far_values), extra, fuse), 2e-6
        )


def test_outputs_far_apart() -> None:
    graph = Graph(width=64, value_width=64)
    sizes = Sizes(2, 3, 5)
    qkv, extra = graph.draw(sizes)
    with Reserved((2, 4, 3, 64), 0, 2**31) as output:
        described = [_dlpack.describe(array) for array in (*qkv, output)]
        function: posenc.CompiledFunction = graph.function()
        assert function._run(*(ctypes.byref(tensor) for tensor, _ in described)) == 0
        graph.expected(sizes, qkv, extra).compare(output.copy(), 2e-6)

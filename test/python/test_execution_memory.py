# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention never holds a matrix of all scores: long sequences in a process of their own."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import subprocess
import sys

from compiled_attention import Graph
from content_parts import transformer_xl
from encoding_parts import TRIANGLE
from rotary_parts import Rotary, rotated

START = r"""
import re, sys
import numpy as np, posenc
def peak():
    # Of this program alone; getrusage would count the one that started it as well.
    return int(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read()).group(1))
function = posenc.load(sys.argv[1])
length = int(sys.argv[2])
rng = np.random.default_rng(0)
"""
ROTARY = START + r"""
q, k, v = (rng.standard_normal((1, 1, length, 64), np.float32) for _ in range(3))
before = peak()
output = function(q, k, v, np.asarray(0), np.asarray(0))
after = peak()
assert np.isfinite(output).all()
# The last rows against float64.
turn = lambda x, at: x * np.cos(at[:, None] * frequency) + np.concatenate([-x[:, 32:], x[:, :32]], 1) * np.sin(
    at[:, None] * frequency)
frequency = np.tile(10000.0 ** (-np.arange(32) / 32), 2)
rows = np.arange(length - 3, length)
scores = turn(q[0, 0, rows], rows) @ turn(k[0, 0], np.arange(length)).T / 8
scores[np.arange(length) > rows[:, None]] = -np.inf
weights = np.exp(scores - scores.max(1, keepdims=True))
weights /= weights.sum(1, keepdims=True)
error = np.abs(output[0, 0, rows] - weights @ v[0, 0]).max() / (weights @ np.abs(v[0, 0])).max()
print(before, after, error)
"""


RELATIVE = START + r"""
q, k, v, r = (rng.standard_normal((1, 1, length, 16), np.float32) for _ in range(4))
before = peak()
output = function(q, k, v, r[0], np.asarray(0))
after = peak()
assert np.isfinite(output).all()
# The last rows against float64.
rows = np.arange(length - 3, length)
at = np.maximum(length - 1 - (rows[:, None] - np.arange(length)), 0).clip(max=length - 1)
q, k, v, r = (x[0, 0].astype(np.float64) for x in (q, k, v, r))
scores = q[rows] @ k.T / 4 + np.take_along_axis(q[rows] @ r.T, at, 1)
scores[np.arange(length) > rows[:, None]] = -np.inf
weights = np.exp(scores - scores.max(1, keepdims=True))
weights /= weights.sum(1, keepdims=True)
error = np.abs(output[0, 0, rows] - weights @ v).max() / (weights @ np.abs(v)).max()
print(before, after, error)
"""


def run(graph: Graph, program: str, length: int, tmp_path: pathlib.Path) -> tuple[float, float, float]:
    """What a process of its own prints: the peak in kB before the call and after it, the error."""
    graph.function().save(tmp_path / "graph.so")
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "graph.so", str(length)],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    before, after, error = map(float, done.stdout.split())
    return before, after, error


def test_long_context(tmp_path: pathlib.Path) -> None:
    """Causal with rotary, one head of 64. All scores would be 4 GiB; the whole process stays under 350 MB."""
    graph = Graph(heads=1, kv_heads=1, width=64, value_width=64)
    graph = Graph(
        (TRIANGLE, rotated(Rotary(count=64), graph)), heads=1, kv_heads=1, width=64, value_width=64
    )
    before, after, error = run(graph, ROTARY, 32768, tmp_path)
    assert after < 350_000, (
        f"{before / 1000:.0f} MB before the call, {after / 1000:.0f} MB after it"
    )
    # The output is 8 MB; rotated keys, tables and scratch may take as much again, twice.
    assert after - before < 60_000
    assert error < 2e-6


def test_relative_rows(tmp_path: pathlib.Path) -> None:
    """Transformer-XL at 16,384: no product of all queries with all rows, which would be 1 GiB."""
    graph = Graph(heads=1, kv_heads=1, width=16, value_width=16)
    relative = transformer_xl(
        graph, rows="transformer_xl", count=lambda sizes: sizes.keys, query_bias=False
    )
    graph = dataclasses.replace(graph, parts=(relative, TRIANGLE))
    before, after, error = run(graph, RELATIVE, 16384, tmp_path)
    assert after < 300_000, (
        f"{before / 1000:.0f} MB before the call, {after / 1000:.0f} MB after it"
    )
    assert after - before < 30_000
    assert error < 4e-6

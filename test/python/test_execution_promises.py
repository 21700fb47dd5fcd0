# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiled functions promise to the program around them: memory, threads, floating-point state, libraries."""

from __future__ import annotations

import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from compiled_attention import Graph, Sizes
from encoding_parts import TRIANGLE, alibi, causal, dense, padding
from rotary_parts import Rotary, rotated

import posenc
from posenc import _dlpack

PLAIN = Graph((TRIANGLE,), logsumexp=True)
RICH = Graph(
    (
        causal("bottom_right"),
        padding(),
        alibi(4),
        dense("f32", "bhij", 4),
        rotated(Rotary(), Graph()),
    ),
    logsumexp=True,
)
SIZES = [Sizes(2, 1, 65), Sizes(2, 3, 9), Sizes(2, 70, 70)]


def flat(qkv: list[np.ndarray], extra: list[list[np.ndarray]]) -> list[np.ndarray]:
    return [*qkv, *(array for arrays in extra for array in arrays)]


def call_into(
    function: posenc.CompiledFunction, inputs: list[np.ndarray], outputs: list[np.ndarray]
) -> int:
    """The C function on outputs of ours; its code."""
    described = [_dlpack.describe(array) for array in (*inputs, *outputs)]
    return function._run(*(ctypes.byref(tensor) for tensor, _ in described))


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("graph", [PLAIN, RICH], ids=["plain", "rich"])
def test_inputs_are_read_only(graph: Graph, fuse: bool) -> None:
    for sizes in SIZES:
        inputs = flat(*graph.draw(sizes))
        for array in inputs:
            array.flags.writeable = False
        before = [array.tobytes() for array in inputs]
        graph.function(fuse)(*inputs)
        assert [array.tobytes() for array in inputs] == before


def embedded(extents: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A view of these extents, and the memory around it, all NaN."""
    memory = np.full([extent + 2 for extent in extents], np.nan, np.float32)
    return memory[tuple(slice(1, -1) for _ in extents)], memory


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("sizes", [*SIZES, Sizes(2, 3, 0), Sizes(2, 0, 3), Sizes(0, 3, 3)], ids=str)
def test_outputs_are_written_whole_and_nothing_else(sizes: Sizes, fuse: bool) -> None:
    graph = RICH
    qkv, extra = graph.draw(sizes)
    (output, around), (logsumexp, around_lse) = (
        embedded((sizes.batch, graph.heads, sizes.rows, graph.value_width)),
        embedded((sizes.batch, graph.heads, sizes.rows)),
    )
    assert call_into(graph.function(fuse), flat(qkv, extra), [output, logsumexp]) == 0
    graph.expected(sizes, qkv, extra).compare((output.copy(), logsumexp.copy()), 2e-6)
    for inside, memory in ((output, around), (logsumexp, around_lse)):
        assert np.isnan(memory).sum() == memory.size - inside.size


# The floating-point state of the caller: rounding and flush-to-zero of MXCSR or FPCR.

PROBE = """
#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
unsigned state(void) { return _mm_getcsr(); }
void set_flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
#else
unsigned state(void) { unsigned long x; __asm__ volatile("mrs %0, fpcr" : "=r"(x)); return x; }
void set_flush(void) { __asm__ volatile("msr fpcr, %0" : : "r"(1ul << 24)); }
#endif
void round_up(void) { fesetround(FE_UPWARD); }
void reset(void) { fesetenv(FE_DFL_ENV); }
double halve(double x) { volatile double y = x; return y * 0.5; }
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("probe")
    (folder / "probe.c").write_text(PROBE)
    compiler = os.environ.get("CC", "clang-22")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "probe.c", "-lm", "-o", "probe.so"],
        cwd=folder,
        check=True,
    )
    library = ctypes.CDLL(str(folder / "probe.so"))
    library.halve.restype, library.halve.argtypes = ctypes.c_double, [ctypes.c_double]
    return library


@pytest.mark.parametrize("mode", ["default", "set_flush", "round_up"])
def test_floating_point_state(probe: ctypes.CDLL, mode: str) -> None:
    sizes = SIZES[2]
    inputs = flat(*PLAIN.draw(sizes))
    outputs = [np.empty((2, 4, 70, 16), np.float32), np.empty((2, 4, 70), np.float32)]
    reference = PLAIN.function()(*inputs)
    try:
        if mode != "default":
            getattr(probe, mode)()
        before = probe.state()
        code = call_into(PLAIN.function(), inputs, outputs)
        after = probe.state()
        refused = call_into(PLAIN.function(), inputs[:2] + [inputs[2][:, :, :-1]], outputs)
        after_refusal = probe.state()
        half = probe.halve(1e-310)
    finally:
        probe.reset()
    # Status bits tell that something was inexact, as they do after any C code.
    assert (before & ~0x3F) == (after & ~0x3F) == (after_refusal & ~0x3F)
    assert code == 0 and refused != 0
    assert half == (0 if mode == "set_flush" else 5e-311)
    for output, expected in zip(outputs, reference):
        np.testing.assert_array_equal(output, expected)


# Threads.


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_a_small_stack(fuse: bool) -> None:
    """64 KiB hold a call, whatever the length."""
    graph = Graph((TRIANGLE, alibi(2)), heads=2, kv_heads=1, width=64, value_width=64)
    sizes = Sizes(1, 1500, 1500)
    qkv, extra = graph.draw(sizes)
    inputs, function = flat(qkv, extra), graph.function(fuse)
    described = [_dlpack.describe(array) for array in inputs]
    output = np.full((1, 2, 1500, 64), np.nan, np.float32)
    tensor, _keep = _dlpack.describe(output)
    pointers = [ctypes.pointer(described_tensor) for described_tensor, _ in described] + [
        ctypes.pointer(tensor)
    ]
    codes: list[int] = []
    previous = threading.stack_size(64 * 1024)
    try:
        worker = threading.Thread(target=lambda: codes.append(function._run(*pointers)))
        worker.start()
        worker.join()
    finally:
        threading.stack_size(previous)
    assert codes == [0]
    graph.expected(sizes, qkv, extra).compare(output, 2e-6)


CONCURRENT = """
import sys, threading
import numpy as np, posenc
function = posenc.load(sys.argv[1])
arrays = dict(np.load(sys.argv[2]))
inputs = [array for name, array in arrays.items() if name != "expected"]
start, results = threading.Barrier(8), [None] * 8
def call(number):
    start.wait()
    results[number] = function(*inputs)[0]
threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert all((result == arrays["expected"]).all() for result in results)
"""
FORKED = """
import os, sys
import numpy as np, posenc
function = posenc.load(sys.argv[1])
arrays = dict(np.load(sys.argv[2]))
inputs = [array for name, array in arrays.items() if name != "expected"]
function(*inputs)
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0 if (function(*inputs)[0] == arrays["expected"]).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (function(*inputs)[0] == arrays["expected"]).all()
"""


@pytest.mark.parametrize("program", [CONCURRENT, FORKED], ids=["concurrent_first_calls", "fork"])
def test_processes(program: str, tmp_path: pathlib.Path) -> None:
    inputs = flat(*PLAIN.draw(SIZES[2]))
    function = PLAIN.function()
    function.save(tmp_path / "graph.so")
    np.savez(
        tmp_path / "arrays.npz",
        **{f"a{at:02}": array for at, array in enumerate(inputs)},
        expected=function(*inputs)[0],
    )
    for _ in range(3):
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / "graph.so", tmp_path / "arrays.npz"],
            check=True,
            timeout=60,
        )


def test_concurrent_calls_of_several_libraries() -> None:
    graphs = [PLAIN, Graph((TRIANGLE,), scale=2.0, logsumexp=True), RICH]
    work = [(graph, sizes, seed) for graph in graphs for sizes in SIZES for seed in range(3)]

    def run(item: tuple[Graph, Sizes, int]) -> None:
        graph, sizes, seed = item
        graph.check(sizes, seed=seed)

    for graph in graphs:
        graph.function()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(run, work))


def test_two_libraries_in_one_namespace(tmp_path: pathlib.Path) -> None:
    """The same function with another scale: each its own code and constants, also with RTLD_GLOBAL."""
    graphs = [Graph((TRIANGLE,), scale=scale) for scale in (1.0, 2.0)]
    for number, graph in enumerate(graphs):
        graph.function().save(tmp_path / f"{number}.so")
        ctypes.CDLL(str(tmp_path / f"{number}.so"), mode=ctypes.RTLD_GLOBAL)
    sizes = Sizes(1, 5, 5)
    for number, graph in enumerate(graphs):
        qkv, extra = graph.draw(sizes)
        loaded = posenc.load(tmp_path / f"{number}.so")
        graph.expected(sizes, qkv, extra).compare(loaded(*qkv), 2e-6)


def test_a_library_exports_its_header_and_table_only(tmp_path: pathlib.Path) -> None:
    PLAIN.function().save(tmp_path / "graph.so")
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", tmp_path / "graph.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {line.split()[-1] for line in listed.splitlines()} == {
        "attention",
        "attention_shapes",
        "posenc_last_error",
        "posenc_library",
    }
    needed = subprocess.run(
        ["nm", "-D", "--undefined-only", tmp_path / "graph.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    # No mathematics of others: exp, sin and their like are compiled in.
    assert not re.search(
        r"\b(expf?|exp2f?|tanhf?|sinf?|cosf?|powf?|logf?|__trunc\w*|__ext\w*)@?", needed
    )


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_the_stack_does_not_grow(fuse: bool, tmp_path: pathlib.Path) -> None:
    """Every alloca of the LLVM IR has a constant size and is in an entry block."""
    RICH.function(fuse).save(tmp_path / "graph.ll")
    blocks = 0
    for line in (tmp_path / "graph.ll").read_text().splitlines():
        if line.startswith("define"):
            blocks = 0
        elif re.match(r"[\w.]+:", line):
            blocks += 1
        elif " alloca " in line:
            assert blocks == 0 and not re.search(r", i\d+ %", line), line

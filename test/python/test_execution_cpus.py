# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on each CPU that code is compiled for, one and several in a library, on this machine and emulated."""

from __future__ import annotations

import dataclasses
import pathlib
import subprocess

import numpy as np
import pytest
from compiled_attention import NUMPY, TOLERANCE, Graph, Sizes
from emulated import AARCH64, HASWELL, NEHALEM, Machine, Program
from encoding_parts import alibi, causal
from rotary_parts import Rotary, rotated
from tools import BUILD

import posenc

# Prefill over blocks of queries and keys and their remainders; decoding; sizes below a tile.
SIZES = [Sizes(1, 70, 131), Sizes(2, 1, 300), Sizes(1, 2, 65), Sizes(2, 5, 3)]
# A rotated query or key is rounded to 16 bits before the product.
ROTATED_TOLERANCE = {"f32": 2e-6, "f16": 4 * 2**-10, "bf16": 4 * 2**-7}
LEVELS = ("x86-64-v3", "x86-64-v4")
BOTH = ",".join(LEVELS)


def graph_for(element: str, cpu: str = "native") -> Graph:
    """Causal rotary attention with head groups and sizes of a head that no vector divides."""
    plain = Graph((causal("bottom_right"),), width=40, value_width=24, element=element, cpu=cpu)
    return dataclasses.replace(plain, parts=(*plain.parts, rotated(Rotary(count=40), plain)))


def flat(drawn: tuple[list[np.ndarray], list[list[np.ndarray]]]) -> list[np.ndarray]:
    qkv, extra = drawn
    return [*qkv, *(array for arrays in extra for array in arrays)]


def program_for(graph: Graph, cpu: str, machine: Machine, folder: pathlib.Path) -> Program:
    arguments = 4 + sum(len(part.arguments) for part in graph.parts)
    return Program(graph.text(), cpu, machine, folder, arguments)


def runs_here(cpu: str) -> bool:
    """Whether this machine runs code for `cpu`."""
    try:
        Graph(cpu=cpu).check(Sizes(1, 1, 1))
    except (posenc.Error, OSError):
        return False
    return True


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("cpu", [*LEVELS, "sapphirerapids"])
def test_each_cpu(cpu: str, element: str) -> None:
    if not runs_here(cpu):
        pytest.skip(f"this machine does not run {cpu}")
    for sizes in SIZES:
        graph_for(element, cpu).check(sizes, tolerance=ROTATED_TOLERANCE[element])
        biased = Graph((alibi(4),), width=64, value_width=64, element=element, cpu=cpu)
        biased.check(sizes)


@pytest.mark.parametrize("cap", LEVELS)
@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
def test_the_cap_picks_from_several(element: str, cap: str, monkeypatch) -> None:
    """POSENC_CPU decides, and the result has the bits of a library for that CPU alone."""
    if not runs_here(cap):
        pytest.skip(f"this machine does not run {cap}")
    graph = graph_for(element)
    monkeypatch.setenv("POSENC_CPU", cap)
    both = posenc.compile(graph.text(), cpu=BOTH)
    alone = posenc.compile(graph.text(), cpu=cap)
    for sizes in SIZES:
        drawn = graph.draw(sizes)
        output = both(*flat(drawn))
        graph.expected(sizes, *drawn).compare(output, ROTATED_TOLERANCE[element])
        assert output.tobytes() == alone(*flat(drawn)).tobytes()


def test_what_fits_nothing_is_refused(monkeypatch) -> None:
    graph = Graph()
    function = posenc.compile(graph.text(), cpu=BOTH)
    inputs = flat(graph.draw(Sizes()))
    monkeypatch.setenv("POSENC_CPU", "baseline")
    with pytest.raises(posenc.Error, match=f"was compiled for {BOTH}; this CPU under POSENC_CPU=baseline lacks"):
        function(*inputs)
    monkeypatch.setenv("POSENC_CPU", "i386")
    with pytest.raises(posenc.Error, match="POSENC_CPU=i386 names no CPU: use one of baseline, x86-64-v3"):
        function(*inputs)
    monkeypatch.delenv("POSENC_CPU")
    graph.expected(Sizes(), *graph.draw(Sizes())).compare(function(*inputs), TOLERANCE["f32"])


def test_weights_are_there_once(tmp_path: pathlib.Path) -> None:
    count = 1 << 18
    text = f"""
func.func @weigh(%x: tensor<{count}xf32>) -> tensor<{count}xf32> {{
  %w = arith.constant dense_resource<w> : tensor<{count}xf32>
  %y = arith.mulf %x, %w : tensor<{count}xf32>
  return %y : tensor<{count}xf32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{np.arange(count, dtype=np.float32).tobytes().hex()}" }} }} #-}}
"""
    (tmp_path / "weigh.mlir").write_text(text)
    for suffix in ("so", "a", "o"):
        path = tmp_path / f"weigh.{suffix}"
        subprocess.run([BUILD / "bin" / "posenc-compile", tmp_path / "weigh.mlir", "-o", path, f"--cpu={BOTH}"],
                       check=True)
        assert 4 * count < path.stat().st_size < 6 * count
    x = np.full(count, 2, np.float32)
    assert np.array_equal(posenc.load(tmp_path / "weigh.so")(x), 2 * np.arange(count, dtype=np.float32))


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("cpu, machine", [("generic-aarch64", AARCH64), (BOTH, HASWELL)],
                         ids=["aarch64", "haswell"])
def test_emulated(cpu: str, machine: Machine, element: str, tmp_path: pathlib.Path) -> None:
    """Prefill and decoding with rotation; a CPU without AVX-512 runs the AVX2 code of a library for both."""
    graph = graph_for(element)
    program = program_for(graph, cpu, machine, tmp_path)
    drawn = [graph.draw(sizes) for sizes in SIZES]
    calls = [(flat(case), (sizes.batch, graph.heads, sizes.rows, graph.value_width), NUMPY[element])
             for sizes, case in zip(SIZES, drawn)]
    for sizes, case, output in zip(SIZES, drawn, program.run(calls)):
        graph.expected(sizes, *case).compare(output, ROTATED_TOLERANCE[element])


def test_emulated_cpu_without_avx(tmp_path: pathlib.Path) -> None:
    """An error, not an instruction that the CPU does not know."""
    graph = Graph()
    program = program_for(graph, BOTH, NEHALEM, tmp_path)
    done = program.execute([(flat(graph.draw(Sizes())), (2, 4, 5, 16), np.dtype(np.float32))])
    assert done.returncode == 3
    assert f"attention: this library was compiled for {BOTH}; this CPU lacks" in done.stderr.decode()

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inner loops of attention keep their vectors in registers, on every CPU that code is compiled for."""

from __future__ import annotations

import pathlib
import subprocess

import pytest
from assembly import Loop, innermost_loops
from compiled_attention import Graph
from encoding_parts import TRIANGLE
from tools import BUILD


def hot_loops(cpu: str, element: str, width: int, folder: pathlib.Path) -> list[Loop]:
    """The loops that mostly multiply and add: the products of prefill and of decoding, whole and ragged."""
    graph = Graph((TRIANGLE,), heads=8, kv_heads=2, width=width, value_width=width, element=element)
    (folder / "graph.mlir").write_text(graph.text())
    subprocess.run([BUILD / "bin" / "posenc-compile", folder / "graph.mlir", "-o", folder / "graph.s", f"--cpu={cpu}"],
                   check=True)
    loops = innermost_loops((folder / "graph.s").read_text())
    return [loop for loop in loops if loop.fmas >= 8 and 4 * loop.fmas >= len(loop.instructions)]


@pytest.mark.parametrize("element, width", [("f32", 64), ("f32", 128), ("bf16", 128)])
@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4", "generic-aarch64"])
def test_vectors_stay_in_registers(cpu: str, width: int, element: str, tmp_path: pathlib.Path) -> None:
    loops = hot_loops(cpu, element, width, tmp_path)
    assert len(loops) >= 4, "the loops of prefill and decoding were not found"
    for loop in loops:
        # What is needed once a tile may wait on the stack; accumulators may not.
        spills = loop.spills
        assert 16 * len(spills) <= loop.fmas, f"{loop.function}: {len(spills)} in {loop.fmas} FMAs: {spills[:3]}"


def test_loops_are_read() -> None:
    """An outer loop is none, a call and a forward jump end none; what is stored on the stack is a spill."""
    text = """
kernel:
.LBB0_1:
	vmovups	%ymm1, (%rsp)
	jne	.LBB0_3
.LBB0_2:                                # inner
	vfmadd231ps	%ymm0, %ymm1, %ymm2     # ymm2 += ymm1 * ymm0
	vfmadd231ps	32(%rsp), %ymm1, %ymm3
	vmovups	%ymm3, 32(%rsp)                 # 32-byte Spill
	movq	%rax, 8(%rsp)
	jb	.LBB0_2
.LBB0_3:
	callq	other
	jne	.LBB0_1
"""
    [loop] = innermost_loops(text)
    assert loop.function == "kernel" and loop.fmas == 2 and len(loop.instructions) == 5
    assert loop.spills == ["vmovups	%ymm3, 32(%rsp)"]
    arm = """
kernel:
.LBB0_1:
	ldr	q0, [sp, #16]
	fmla	v1.4s, v0.4s, v2.s[0]
	stp	q0, q1, [sp, #16]                // 32-byte Folded Spill
	str	x8, [sp]
	b.ne	.LBB0_1
"""
    [loop] = innermost_loops(arm)
    assert loop.fmas == 1 and loop.spills == ["stp	q0, q1, [sp, #16]"]

# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the innermost loops of LLVM's assembly, x86-64 (AT&T) and AArch64."""

from __future__ import annotations

import dataclasses
import re

# A jump to a label of the function; calls do not count.
_BRANCH = re.compile(r"\s(?:j\w+|b(?:\.\w+)?|cbn?z|tbn?z)\s+(?:[^#/;]*,\s*)?(\.L\w+)\s*(?:$|[#/;])")
_LABEL = re.compile(r"^(\.L\w+):")
_COMMENT = re.compile(r"\s*(?:#\s|//).*")
# vfmadd231ps %ymm0, %ymm1, %ymm2; fmla v0.4s, v1.4s, v2.s[0].
_VECTOR_FMA = re.compile(r"^(?:vfn?madd\d+ps|fmla\s+v\d+\.)")
# A vector stored at the stack pointer: vmovups %ymm0, 32(%rsp); stp q0, q1, [sp, #16].
_SPILL = re.compile(r"^(?:vmov\w+\s+%[xyz]mm\d+, [^,]*\(%rsp\b|st[rup]+\s+[qd]\d+.*\[sp\b)")


@dataclasses.dataclass(frozen=True)
class Loop:
    """An innermost loop: the function it is in, and its instructions."""

    function: str
    instructions: tuple[str, ...]

    @property
    def fmas(self) -> int:
        """Multiplications and additions of whole vectors."""
        return sum(bool(_VECTOR_FMA.match(line)) for line in self.instructions)

    @property
    def spills(self) -> list[str]:
        """Where a vector found no register. Constants are reloaded, but not stored."""
        return [line for line in self.instructions if _SPILL.match(line)]


def _functions(assembly: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in assembly.splitlines():
        start = re.match(r"^([A-Za-z_][\w.$]*):", line)
        if start:
            found.append((start.group(1), []))
        elif found:
            found[-1][1].append(line)
    return found


def _instructions(lines: list[str]) -> tuple[str, ...]:
    stripped = (_COMMENT.sub("", line).strip() for line in lines)
    return tuple(line for line in stripped if line and not line.startswith("."))


def innermost_loops(assembly: str) -> list[Loop]:
    """Every stretch from a label to a jump back to it that holds no other such stretch."""
    loops = []
    for name, lines in _functions(assembly):
        labels: dict[str, int] = {}
        innermost = -1  # where the last loop that ended began
        for number, line in enumerate(lines):
            label = _LABEL.match(line)
            if label:
                labels[label.group(1)] = number
            branch = _BRANCH.search(line)
            begin = labels.get(branch.group(1)) if branch else None
            if begin is not None and begin > innermost:
                loops.append(Loop(name, _instructions(lines[begin : number + 1])))
                innermost = begin
    return loops

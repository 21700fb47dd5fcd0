# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's remarks, one a line, as objects; and what they say of each op together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

# FILE:LINE:COLUMN: remark: 'OP' SENTENCE [PASS], or FILE: node 'NAME': remark: ...
_LINE = re.compile(
    r"(?P<place>.*?): remark: '(?P<op>[\w.]+)'(?:,? )(?P<sentence>.*) "
    r"\[(?P<by>[\w-]+)(?P<missed>: missed)?\]"
)


@dataclass(frozen=True)
class Remark:
    """What a pass did with an op of the user's, or did not do.

    place: where the user wrote it, `FILE:LINE:COLUMN` or `FILE: node 'NAME'`. op: the op's name,
    such as `posenc.attention`. sentence: what became of it, without the op's name. by: the pass.
    missed: whether it is something left undone; the sentence then has the reason.
    """

    place: str
    op: str
    sentence: str
    by: str
    missed: bool


@dataclass
class Subject:
    """All that was said of one op: what it was recognised as, what was done with it, what was
    not, the tables it reads, and its schedules."""

    op: str
    place: str
    found: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    schedules: list[str] = field(default_factory=list)

    @property
    def is_posenc(self) -> bool:
        """Whether it is an encoding or attention, and not an op that only was near one."""
        return self.op.startswith("posenc.")

    def add(self, remark: Remark) -> None:
        by_pass = {
            "raise-attention": self.found,
            "raise-encodings": self.found,
            "stage-tables": self.tables,
            "dispatch": self.schedules,
            "schedule": self.schedules,
        }
        said = self.missed if remark.missed else by_pass.get(remark.by, self.done)
        said.append(remark.sentence)


def parse_remarks(text: str) -> list[Remark]:
    """The remarks of the compiler's text, in order. Raises ValueError for a line that is none."""
    remarks = []
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"not a remark: {line}")
        remarks.append(
            Remark(match["place"], match["op"], match["sentence"], match["by"],
                   match["missed"] is not None)
        )
    return remarks


def group_by_op(remarks: Iterable[Remark]) -> list[Subject]:
    """One subject for each op at each place, in the order of first mention."""
    subjects: dict[tuple[str, str], Subject] = {}
    for remark in remarks:
        key = (remark.op, remark.place)
        subjects.setdefault(key, Subject(*key)).add(remark)
    return list(subjects.values())

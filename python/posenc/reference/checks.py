# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Argument checks that several reference functions share.

Every message names the argument, its value and what is accepted.
"""

from __future__ import annotations

from collections.abc import Collection


def one_of(name: str, value: object, choices: Collection[object]) -> None:
    """Raises ValueError unless `value` is one of `choices`."""
    if value not in choices:
        accepted = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}; it must be one of {accepted}")


def positive(name: str, value: float) -> None:
    """Raises ValueError unless `value` > 0."""
    if not value > 0:
        raise ValueError(f"{name} is {value}; it must be greater than 0")


def even(name: str, value: int) -> None:
    """Raises ValueError unless `value` is even and at least 2."""
    if value < 2 or value % 2:
        raise ValueError(
            f"{name} is {value}; lanes are rotated in pairs, so it must be even and at least 2"
        )

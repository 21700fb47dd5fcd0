# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that posenc writes: whole or not at all, and failures as `posenc.Error`."""

from __future__ import annotations

import os
import pathlib
import tempfile

from ._errors import Error


def write_file(path: pathlib.Path, content: bytes) -> None:
    """Replaces the file at once, so that a reader never sees half of it."""
    try:
        if path.exists() and not path.is_file():  # A pipe or a terminal; a folder fails.
            path.write_bytes(content)
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror or error}") from error


def make_folder(path: pathlib.Path) -> None:
    """Makes the folder and those above it, where they are missing."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"cannot make the folder {path}: {error.strerror or error}") from error

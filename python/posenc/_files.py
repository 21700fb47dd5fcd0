# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that posenc reads and writes: written whole or not at all, failures as `posenc.Error`."""

from __future__ import annotations

import os
import pathlib
import tempfile

from ._errors import Error


def require_file(path: pathlib.Path) -> None:
    """Raises `posenc.Error` unless this is a file that can be read and has something in it."""
    try:
        if path.is_dir():
            raise Error(f"{path} is a folder; name a file")
        with path.open("rb") as file:
            if not file.read(1):
                raise Error(f"{path} is empty")
    except FileNotFoundError:
        raise Error(f"no such file: {path}") from None
    except (OSError, ValueError) as error:  # A NUL in the name is a ValueError.
        raise Error(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def write_file(path: pathlib.Path, content: bytes) -> None:
    """Replaces the file at once, so that a reader never sees half of it; follows links."""
    try:
        target = pathlib.Path(os.path.realpath(path))
        if path.exists() and not path.is_file():  # A pipe or a terminal; a folder fails.
            path.write_bytes(content)
            return
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o644)
        os.replace(file.name, target)
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror or error}") from error


def make_folder(path: pathlib.Path) -> None:
    """Makes the folder and those above it, where they are missing."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"cannot make the folder {path}: {error.strerror or error}") from error

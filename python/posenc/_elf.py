# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a shared library is all there: the loader maps what is not, and reading that kills."""

from __future__ import annotations

import os
import pathlib
import struct

from ._errors import Error

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian: all that posenc compiles for.
# e_phoff of the file's header, then e_phentsize and e_phnum.
_PROGRAM_HEADERS = struct.Struct("<32xQ14xHH")
# p_offset and p_filesz of a segment's header.
_SEGMENT = struct.Struct("<8xQ16xQ16x")


def require_whole(path: pathlib.Path) -> None:
    """Raises `posenc.Error` where a segment of the ELF file ends behind the file's end.

    What is no ELF file at all is left to the loader, which says so.
    """
    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        header = file.read(_PROGRAM_HEADERS.size)
        if not header.startswith(_MAGIC) or len(header) < _PROGRAM_HEADERS.size:
            return
        offset, entry, count = _PROGRAM_HEADERS.unpack(header)
        needed = offset + entry * count
        if needed <= length and entry >= _SEGMENT.size:
            file.seek(offset)
            table = file.read(entry * count)
            for start in range(0, entry * count, entry):
                begin, size = _SEGMENT.unpack_from(table, start)
                needed = max(needed, begin + size)
    if needed > length:
        raise Error(
            f"{path} is cut short: it has {length} bytes of at least {needed}; copy it again"
        )

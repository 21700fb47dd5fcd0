# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions posenc raises; each message is one line and says what to do."""


class Error(RuntimeError):
    """Compiling, loading or calling failed."""


class NoReference(Error):
    """A graph has something that a reference does not know."""


class ImportFailure(Error):
    """A graph cannot be imported; names the nodes, or what is wrong with it."""

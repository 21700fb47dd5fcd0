# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the mlir examples of TableGen files as one module split by `// -----`.

Usage: mlir_examples.py FOLDER. Every fence that opens with ```mlir in a .td file
below FOLDER is an example; one of attributes (each starts with `#`) is wrapped in
an op that carries them. Exit status 1 if an op of the folder has no example.
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^ *```mlir\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
OP = re.compile(r'PosEnc_(?:Sized)?Op<"(\w+)"')


def wrap(example: str) -> str:
    """Attributes as attributes of an op; anything else as it is."""
    if not example.lstrip().startswith("#"):
        return example
    attributes = re.split(r"^(?= *#)", example, flags=re.MULTILINE)
    pairs = [f"a{n} = {text.strip()}" for n, text in enumerate(attributes) if text.strip()]
    return f'"test.attributes"() {{{", ".join(pairs)}}} : () -> ()\n'


def main() -> int:
    examples, undocumented = [], []
    for file in sorted(pathlib.Path(sys.argv[1]).rglob("*.td")):
        text = file.read_text()
        found = FENCE.findall(text)
        for example in found:
            examples.append(f"// {file.name}\n{wrap(example)}")
        # The terminator of a region stands in its op's example.
        undocumented += [
            op for op in OP.findall(text) if not any(f"posenc.{op}" in e for e in found)
        ]
    print("// -----\n".join(examples))
    for op in undocumented:
        print(f"posenc.{op} has no example", file=sys.stderr)
    return 1 if undocumented or not examples else 0


if __name__ == "__main__":
    sys.exit(main())

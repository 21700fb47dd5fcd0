# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a graph of two inputs and a function for each keyword of C23 and C++23.

One function takes an input called by each keyword and by each word that C compilers define unasked;
then there is one function called by each. Sources: ISO/IEC 9899:2024, 6.4.1; ISO/IEC 14882:2024,
5.11 and 5.5 (alternative tokens).
"""

from __future__ import annotations

C = """alignas alignof auto bool break case char const constexpr continue default do double else enum
extern false float for goto if inline int long nullptr register restrict return short signed sizeof
static static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void
volatile while"""
CXX = """alignas alignof asm auto bool break case catch char char8_t char16_t char32_t class concept
const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept nullptr operator private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
template this thread_local throw true try typedef typeid typename union unsigned using virtual void
volatile wchar_t while and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq"""
DEFINED = "linux unix NULL DLTensor main"


def main() -> None:
    """Print the module."""
    words = sorted({*C.split(), *CXX.split(), *DEFINED.split()})
    inputs = ", ".join(f'%{word}: tensor<1xf32> {{posenc.name = "{word}"}}' for word in words)
    print(f"func.func @graph({inputs}) -> tensor<1xf32> {{\n  return %asm : tensor<1xf32>\n}}")
    for word in words:
        print(f"func.func @{word}(%x: tensor<1xf32>) -> tensor<1xf32> {{")
        print("  return %x : tensor<1xf32>\n}")


if __name__ == "__main__":
    main()

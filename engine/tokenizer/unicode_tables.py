#!/usr/bin/env python3
"""Writes unicode_tables.cpp from the Unicode Character Database of Python's own library.

usage: python3 unicode_tables.py > unicode_tables.cpp && clang-format -i unicode_tables.cpp

Token ids must not depend on the system's libraries, so the tables are kept in the repository. They are of Unicode 15.1
(Python 3.13), the version the vocabularies' reference readers use.
"""

import sys
import unicodedata

CATEGORIES = {"N": 1, "L": 2, "Z": 3, "M": 4, "P": 5, "S": 6, "C": 7}  # unassigned: 0; as in unicode.h
LAST = 0x110000


def category(c):
    name = unicodedata.category(chr(c))
    return 0 if name == "Cn" else CATEGORIES[name[0]]


def category_ranges():
    previous = -1
    for c in range(LAST):
        current = category(c)
        if current != previous:
            yield c << 4 | current
        previous = current


def lower_case():
    for c in range(LAST):
        lower = ord(chr(c).lower()[0])
        if lower != c:
            yield c, lower


def base_ranges():
    """Runs of characters whose canonical decompositions begin with the same character."""
    first, last, base = 0, -1, 0
    for c in range(LAST):
        if 0xD800 <= c < 0xE000:
            continue
        b = ord(unicodedata.normalize("NFD", chr(c))[0])
        if b == c:
            continue
        if last == c - 1 and base == b:
            last = c
            continue
        if last >= first:
            yield first, last, base
        first, last, base = c, c, b
    yield first, last, base


def main():
    if unicodedata.unidata_version != "15.1.0":
        sys.exit(f"expected Unicode 15.1.0, found {unicodedata.unidata_version}")
    out = ['// Written by unicode_tables.py; do not edit.', '#include "engine/tokenizer/unicode_tables.h"', "",
           "namespace engine::unicode {", "", "// clang-format off", "namespace {", ""]

    def table(declaration, items, per_line):
        items = list(items)
        out.append(f"constexpr {declaration} = {{")
        for i in range(0, len(items), per_line):
            out.append("    " + " ".join(items[i:i + per_line]))
        out.append("};")
        out.append("")

    table("std::uint32_t kCategoryRanges[]", (f"0x{v:X}," for v in category_ranges()), 12)
    table("CharacterPair kLowerCase[]", (f"{{0x{a:X}, 0x{b:X}}}," for a, b in lower_case()), 6)
    table("BaseRange kBaseRanges[]", (f"{{0x{a:X}, 0x{b:X}, 0x{n:X}}}," for a, b, n in base_ranges()), 4)
    out += ["} // namespace", "// clang-format on", "",
            "std::span<const std::uint32_t> categoryRanges()", "{", "    return kCategoryRanges;", "}", "",
            "std::span<const CharacterPair> lowerCasePairs()", "{", "    return kLowerCase;", "}", "",
            "std::span<const BaseRange> baseRanges()", "{", "    return kBaseRanges;", "}", "",
            "} // namespace engine::unicode"]
    print("\n".join(out))


main()

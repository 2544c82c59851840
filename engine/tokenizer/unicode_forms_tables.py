#!/usr/bin/env python3
"""Writes unicode_forms_tables.cpp from the Unicode Character Database of Python's own library.

usage: python3 unicode_forms_tables.py > unicode_forms_tables.cpp

Same version and reasons as unicode_tables.py; Hangul syllables are left out, for they are computed.
"""

import sys
import unicodedata

LAST = 0x110000
HANGUL = range(0xAC00, 0xD7A4)


def characters():
    return (c for c in range(LAST) if not 0xD800 <= c < 0xE000 and c not in HANGUL)


def decompositions():
    """(character, whether only compatibility tells, the characters it becomes); a canonical one first."""
    for c in characters():
        canonical = unicodedata.normalize("NFD", chr(c))
        if canonical != chr(c):
            yield c, 0, canonical
        compatible = unicodedata.normalize("NFKD", chr(c))
        if compatible != canonical:
            yield c, 1, compatible


def compositions():
    for c in characters():
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) == 2 and not parts[0].startswith("<") and unicodedata.normalize("NFC", chr(c)) == chr(c):
            yield int(parts[0], 16), int(parts[1], 16), c


def runs(value):
    """(first, last, value) of the runs of characters whose value is not zero."""
    first, previous = 0, 0
    for c in range(LAST + 1):
        current = value(chr(c)) if c < LAST else 0
        if current == previous:
            continue
        if previous:
            yield first, c - 1, previous
        first, previous = c, current


def main():
    if unicodedata.unidata_version != "15.1.0":
        sys.exit(f"expected Unicode 15.1.0, found {unicodedata.unidata_version}")
    out = ["// Written by unicode_forms_tables.py; do not edit.", '#include "engine/tokenizer/unicode_forms_tables.h"', "",
           "namespace engine::unicode {", "", "// clang-format off", "namespace {", ""]

    def table(declaration, items, per_line):
        items = list(items)
        out.append(f"constexpr {declaration} = {{")
        out.extend("    " + " ".join(items[i:i + per_line]) for i in range(0, len(items), per_line))
        out.extend(["};", ""])

    texts, rows = "", []
    for c, compatible, text in decompositions():
        at = texts.find(text)
        if at < 0:
            at, texts = len(texts), texts + text
        rows.append(f"{{0x{c:X}, {compatible}, {at}, {len(text)}}},")
    table("char32_t kDecomposed[]", (f"0x{ord(c):X}," for c in texts), 16)
    table("Decomposition kDecompositions[]", rows, 6)
    table("Composition kCompositions[]", (f"{{0x{a:X}, 0x{b:X}, 0x{c:X}}}," for a, b, c in sorted(compositions())), 6)
    table("CharacterClass kCombiningClasses[]", (f"{{0x{a:X}, 0x{b:X}, {n}}}," for a, b, n in runs(unicodedata.combining)), 8)
    table("CharacterClass kNonspacing[]",
          (f"{{0x{a:X}, 0x{b:X}, {n}}}," for a, b, n in runs(lambda c: int(unicodedata.category(c) == "Mn"))), 8)
    out += ["} // namespace", "// clang-format on", ""]
    for result, name, value in (("std::u32string_view", "decomposedTexts", "{kDecomposed, std::size(kDecomposed)}"),
                                ("std::span<const Decomposition>", "decompositions", "kDecompositions"),
                                ("std::span<const Composition>", "compositions", "kCompositions"),
                                ("std::span<const CharacterClass>", "combiningClasses", "kCombiningClasses"),
                                ("std::span<const CharacterClass>", "nonspacingMarks", "kNonspacing")):
        out += [f"{result} {name}()", "{", f"    return {value};", "}", ""]
    out.append("} // namespace engine::unicode")
    print("\n".join(out))


main()

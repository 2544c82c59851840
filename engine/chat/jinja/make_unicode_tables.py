#!/usr/bin/env python3
"""Writes unicode_tables.cpp from the Unicode Character Database that this Python carries.

usage: make_unicode_tables.py > unicode_tables.cpp
"""
import sys
import unicodedata

LIMIT = sys.maxunicode + 1
FLAGS = ["isalpha", "isdecimal", "isdigit", "isnumeric", "islower", "isupper", None, None, "isprintable"]


def is_case_ignorable(c):
    # As Final_Sigma sees it: a character that neither starts a word nor ends one.
    return ("a" + "\u03a3" + c + "a").lower()[1] == "\u03c3" and ("a" + "\u03a3" + c).lower()[1] == "\u03c2"


def flags_of(code):
    c = chr(code)
    bits = 0
    for bit, name in enumerate(FLAGS):
        if name and getattr(c, name)():
            bits |= 1 << bit
    if unicodedata.category(c) == "Lt":
        bits |= 1 << 6
    if is_case_ignorable(c):
        bits |= 1 << 7
    return bits


def property_runs():
    runs, last = [], None
    for code in range(LIMIT):
        bits = flags_of(code)
        if bits != last:
            runs.append(code << 9 | bits)
            last = bits
    return runs


def simple_and_special(mapping, base=lambda c: c):
    """Single characters as runs of (first, last, step, delta), the longer ones apart."""
    singles, special = [], []
    for code in range(LIMIT):
        c = chr(code)
        mapped = mapping(c)
        if mapped == base(c):
            continue
        if len(mapped) == 1:
            singles.append((code, ord(mapped) - code))
        else:
            special.append((code, mapped))
    runs = []
    for code, delta in singles:
        if runs and runs[-1][3] == delta:
            first, last, step, _ = runs[-1]
            gap = code - last
            if (first == last and gap <= 2) or gap == step:
                runs[-1] = (first, code, gap, delta)
                continue
        runs.append((code, code, 1, delta))
    return runs, special


def emit_list(kind, name, items):
    print(f"constexpr {kind} {name}[] = {{")
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > 100:
            print(line)
            line = "   "
        line += " " + item + ","
    print(line)
    print("};\n")


def emit_mapping(name, mapping, base=lambda c: c):
    runs, special = simple_and_special(mapping, base)
    emit_list("CaseRun", f"k{name}Runs", [f"{{0x{a:X}, 0x{b:X}, {s}, {d}}}" for a, b, s, d in runs])
    emit_list("CaseSpecial", f"k{name}Special",
              ["{0x%X, {%s}}" % (c, ", ".join(f"0x{ord(x):X}" for x in m)) for c, m in special])


def main():
    print(f"""// Written by make_unicode_tables.py from the Unicode Character Database {unicodedata.unidata_version}; not to be edited.
// clang-format off
#include "engine/chat/jinja/unicode_tables.h"

namespace engine::jinja::unicode {{

namespace {{
""")
    emit_list("std::uint32_t", "kProperties", [f"0x{r:X}" for r in property_runs()])
    emit_mapping("Lower", str.lower)
    emit_mapping("Upper", str.upper)
    emit_mapping("Title", str.title, str.upper)
    emit_mapping("Fold", str.casefold, str.lower)
    emit_list("char32_t", "kDecimalZeros",
              [f"0x{c:X}" for c in range(LIMIT) if chr(c).isdecimal() and unicodedata.decimal(chr(c)) == 0])
    print("""} // namespace

std::span<const std::uint32_t> propertyRuns() { return kProperties; }
CaseTable lowerTable() { return {kLowerRuns, kLowerSpecial}; }
CaseTable upperTable() { return {kUpperRuns, kUpperSpecial}; }
CaseTable titleTable() { return {kTitleRuns, kTitleSpecial}; }
CaseTable foldTable() { return {kFoldRuns, kFoldSpecial}; }
std::span<const char32_t> decimalZeros() { return kDecimalZeros; }

} // namespace engine::jinja::unicode""")


main()

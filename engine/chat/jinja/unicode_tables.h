#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace engine::jinja::unicode {

/// Characters first, first + step, ... last, each `delta` away from its counterpart.
struct CaseRun {
    char32_t first;
    char32_t last;
    std::int32_t step;
    std::int32_t delta;
};

/// A character whose counterpart is more than one; padded with zeros.
struct CaseSpecial {
    char32_t from;
    std::array<char32_t, 3> to;
};

struct CaseTable {
    std::span<const CaseRun> runs; ///< ordered by `first`; runs of step 2 may interleave
    std::span<const CaseSpecial> special;
};

/// Where the properties change, in order: the first character shifted by kPropertyBits, and the
/// properties from there on (see Property in unicode.h).
std::span<const std::uint32_t> propertyRuns();
inline constexpr int kPropertyBits = 9;

CaseTable lowerTable();
CaseTable upperTable();
CaseTable titleTable(); ///< only where it differs from upperTable()
CaseTable foldTable();  ///< only where it differs from lowerTable()

/// The zero of every set of decimal digits, in order; its nine others follow it.
std::span<const char32_t> decimalZeros();

} // namespace engine::jinja::unicode

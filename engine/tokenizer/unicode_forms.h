#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace engine::unicode {

/// Unicode's normalization forms (UAX #15).
enum class Form : std::uint8_t { Nfc, Nfd, Nfkc, Nfkd };

/// `text` in that form. Linear but for runs of marks, which are sorted. REQUIRES: isClean(text).
std::string normalized(std::string_view text, Form form);
/// Category Mn.
bool isNonspacingMark(char32_t c);

} // namespace engine::unicode

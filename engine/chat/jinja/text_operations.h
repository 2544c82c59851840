#pragma once

#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// What Python's str methods do, on UTF-8. Parts are views into the text given.
namespace engine::jinja {

/// At most `splits` cuts, from the left or from the right; parts in order.
/// REQUIRES: separator is not empty.
std::vector<std::string_view> split(std::string_view text, std::string_view separator,
                                    std::size_t splits);
std::vector<std::string_view> splitRight(std::string_view text, std::string_view separator,
                                         std::size_t splits);
/// At runs of white space; no part is empty.
std::vector<std::string_view> splitSpace(std::string_view text, std::size_t splits);
std::vector<std::string_view> splitSpaceRight(std::string_view text, std::size_t splits);
/// At every line end Unicode knows; with the ends where `keepEnds`.
std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds);

/// Without those of `characters` at the ends asked for.
std::string_view stripCharacters(std::string_view text, std::string_view characters, bool left,
                                 bool right);

/// An empty `from` is found before every character and at the end.
void replaceInto(TextBuilder& out, std::string_view text, std::string_view from,
                 std::string_view to, std::size_t most);

enum class Alignment : std::uint8_t { Left, Right, Center };
/// Filled up to `width` characters, as str.center, str.ljust and str.rjust do.
void padInto(TextBuilder& out, const Text& text, std::int64_t width, std::string_view fill,
             Alignment alignment);

} // namespace engine::jinja

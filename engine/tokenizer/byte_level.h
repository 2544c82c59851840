#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace engine::byte_level {

/// Byte-level vocabularies write every byte as a printable character (GPT-2's table). The bytes of
/// such a text; nothing where a character stands for no byte.
std::optional<std::string> decode(std::string_view text);
/// The same, but characters that stand for no byte stand for themselves.
std::string decodeLeniently(std::string_view text);

} // namespace engine::byte_level

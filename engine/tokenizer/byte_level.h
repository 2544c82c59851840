#pragma once

#include <string>
#include <string_view>

namespace engine::byte_level {

/// Byte-level vocabularies write every byte as a printable character (GPT-2's table). The bytes of
/// such a text are appended to `out`; false, and `out` as before, where a character stands for
/// none.
bool append(std::string_view text, std::string& out);
/// Any bytes as such a text.
std::string encode(std::string_view bytes);
/// The bytes of such a text; characters that stand for no byte stand for themselves.
std::string decode(std::string_view text);

} // namespace engine::byte_level

#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace engine::jinja {

/// What stands between the quotes of a string literal, with Python's escapes resolved; an escape
/// that is none stays as it is. The error is what is wrong with one.
std::expected<std::string, std::string> unescape(std::string_view literal);

} // namespace engine::jinja

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine::jinja {

struct WrapStyle {
    std::int64_t width = 79; ///< in characters; at least 1
    bool breakLongWords = true;
    bool breakOnHyphens = true;
};

/// One line broken at white space and hyphens into lines of at most `width`, as Python's textwrap
/// does it with its white space left alone.
std::vector<std::string> wrapLine(std::string_view line, const WrapStyle& style);

} // namespace engine::jinja

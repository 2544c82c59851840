#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace engine::jinja {

/// A width, precision and so on, as str.format and % share them.
struct NumberFormat {
    char type = 0;                  ///< d x X o b e E f F g G % c s; 0: none given
    std::string fill = " ";         ///< one character; "0" fills numbers behind their sign
    char align = 0;                 ///< < > = ^; 0: as the type has it
    char sign = '-';                ///< - + or a space
    bool alternative = false;       ///< #: prefixes, and a point always
    bool dropsNegativeZero = false; ///< z: what is rounded to -0 becomes 0
    char grouping = 0;              ///< , or _
    std::int64_t width = 0;
    std::optional<std::int64_t> precision;
};

/// Fails where the type does not suit the value.
Outcome<std::string> formatWhole(Runtime& runtime, Value value, const NumberFormat& format);
Outcome<std::string> formatFloat(Runtime& runtime, double number, const NumberFormat& format);
/// Filled to the width; `alignment` where the format names none.
Outcome<std::string> padded(Runtime& runtime, const std::string& text, const NumberFormat& format,
                            char alignment);

/// format(value, specification)
Outcome<std::string> formatValue(Runtime& runtime, Value value, std::string_view specification);

/// text.format(*arguments, **arguments)
Outcome<Value> formatText(Runtime& runtime, const Text& text, const Arguments& arguments);

} // namespace engine::jinja

#pragma once

#include "engine/chat/jinja/whole_number.h"

#include <optional>
#include <string_view>

namespace engine::jinja {

/// int(text, base): white space around it, a sign, digits of any script, single underscores between
/// them; base 0 or the fitting one takes a prefix. Nothing where it is no such number.
std::optional<WholeNumber> readWhole(std::string_view text, int base);

/// float(text), "inf" and "nan" too.
std::optional<double> readFloat(std::string_view text);

} // namespace engine::jinja

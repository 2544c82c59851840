#pragma once

#include "engine/chat/jinja/runtime.h"

#include <ctime>
#include <string_view>

namespace engine::jinja {

/// strftime in the C locale, whatever the program's own is. A directive it does not know stays as
/// it is written.
void formatTime(TextBuilder& out, std::string_view format, const std::tm& time);

} // namespace engine::jinja

#pragma once

#include "engine/chat/jinja/template.h"

#include <ctime>
#include <string>
#include <string_view>

namespace test {

/// Friday, 26 July 2024, 13:05:09
std::tm fixedTime();

/// Renders `source` with the members of a JSON object as variables; the clock stands at
/// fixedTime().
engine::jinja::Outcome<std::string> renderJinja(std::string_view source,
                                                std::string_view variables = "{}",
                                                const engine::jinja::Limits& limits = {});

/// The same as text: the output, or "error: " and the message.
std::string renderedOrError(std::string_view source, std::string_view variables = "{}");

} // namespace test

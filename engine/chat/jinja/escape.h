#pragma once

#include "engine/chat/jinja/value.h"

#include <string>
#include <string_view>

namespace engine::jinja {

/// The text as HTML: & < > ' " become entities.
std::string escapeHtml(std::string_view text);
/// The same, but markup stays as it is.
std::string escaped(const Text& text);

} // namespace engine::jinja

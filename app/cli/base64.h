#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

/// RFC 4648, with padding.
std::string toBase64(std::string_view bytes);
/// Nothing where the text is not base64.
std::optional<std::string> fromBase64(std::string_view text);

} // namespace cli

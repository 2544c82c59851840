#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace engine {

/// The bytes of a base64 text; characters that are none of its alphabet are skipped.
std::vector<std::byte> decodeBase64(std::string_view text);

} // namespace engine

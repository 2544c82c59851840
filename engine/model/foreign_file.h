#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace engine {

/// What a file that is no GGUF file seems to be instead: "a web page", "a ZIP archive", ...; empty
/// where it is not one of the usual mistakes.
std::string_view describeForeignFile(std::span<const std::byte> file);

} // namespace engine

#pragma once

#include <cstdint>
#include <string_view>

namespace engine {

/// What the number in general.file_type calls the mixture of types in a file ("Q4_K_M"); empty for
/// one we do not know.
std::string_view fileTypeName(std::int64_t fileType);

} // namespace engine

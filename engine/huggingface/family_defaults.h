#pragma once

#include <string_view>

namespace engine {

/// What a family's class takes where config.json leaves a value out, as a JSON object; "{}" where
/// nothing is known.
std::string_view familyDefaults(std::string_view huggingFaceClass);

} // namespace engine

#pragma once

#include "engine/gguf/metadata.h"

#include <string_view>

namespace engine {

/// A chat format for models that come without a template.
struct FallbackTemplate {
    std::string_view family; ///< as a user knows it; empty: plain text
    std::string_view source; ///< Jinja
};

/// By the special tokens in the vocabulary; plain text where none is known.
const FallbackTemplate& fallbackTemplateFor(const Metadata& metadata);

} // namespace engine

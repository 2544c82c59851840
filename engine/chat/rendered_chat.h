#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace engine {

/// A conversation as a model expects it, to be encoded with control tokens parsed.
struct RenderedChat {
    std::string text;
    /// Offsets in `text`, growing: what begins there reads like a control token but came with a
    /// message, a tool or a document, and is the plain text it was written as (EncodeOptions).
    std::vector<std::size_t> literals;
};

} // namespace engine

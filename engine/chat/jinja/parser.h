#pragma once

#include "engine/chat/jinja/ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine::jinja {

/// A parsed template: its tree, and what the tree points to.
struct ParsedTemplate {
    std::string source; ///< with normalized newlines
    Heap literals;
    std::vector<std::string> names; ///< by NameId
    ScopedBody root;
};

/// Fails with kind Syntax, or Limit where the source is too long or too deeply nested.
Outcome<std::unique_ptr<ParsedTemplate>> parse(std::string_view source);

} // namespace engine::jinja

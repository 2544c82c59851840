#pragma once

#include "engine/chat/jinja/failure.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine::jinja {

enum class TokenType : std::uint8_t {
    Data,          ///< text outside of tags, white space control applied
    VariableBegin, ///< {{
    VariableEnd,   ///< }}
    BlockBegin,    ///< {%
    BlockEnd,      ///< %}
    Name,
    Integer,
    Float,
    String,
    Operator,
    End, ///< of the template
};

struct Token {
    TokenType type = TokenType::End;
    Position at;
    std::string_view text; ///< as in the source; a number's with its underscores
    std::string value;     ///< of String: escapes resolved
};

/// Newlines become "\n" and one at the very end goes, as Jinja2 does before it reads a template.
std::string normalizeNewlines(std::string_view source);

/// Cuts a template into tokens; the last is End. Applies trim_blocks, lstrip_blocks and the signs
/// `-` and `+` of tags. `source` is normalized and outlives the tokens.
Outcome<std::vector<Token>> tokenize(std::string_view source);

} // namespace engine::jinja

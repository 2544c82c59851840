#pragma once

#include "engine/chat/rendered_chat.h"
#include "engine/gguf/metadata.h"
#include "engine/tokenizer/token_trie.h"

#include <span>
#include <string>
#include <string_view>

namespace engine {

class Tokenizer;

/// Keeps what people, tools and documents write from being read as a model's control tokens. Each
/// place where such a text holds the text of one is marked by a character that occurs nowhere else,
/// before a template renders it; afterwards the marks are taken out again, and the places known.
/// A text without control tokens, which nearly all are, reaches the template as it is. Immutable.
class ControlTokenGuard {
public:
    ControlTokenGuard() = default; ///< guards nothing
    /// The control, unknown and end-of-generation tokens of a vocabulary, and of the user-defined
    /// ones the marks that the template writes itself.
    ControlTokenGuard(const Metadata& metadata, const Tokenizer& tokenizer,
                      std::string_view templateText);

    /// A character that none of the texts has. (Of a script that nobody can read any more; where
    /// somebody wrote all of its first letters, the last of them serves all the same.)
    static std::string unusedMark(std::span<const std::string_view> texts);

    /// `text` with `mark` behind the first character of each control token in it. `byModel`: the
    /// model wrote it, and its tags around reasoning stay, at which templates take it apart.
    std::string marked(std::string_view text, std::string_view mark, bool byModel) const;
    /// The text without the marks, and where the tokens begin that they mark.
    static RenderedChat unmarked(std::string_view text, std::string_view mark);

private:
    bool isTokenAt(std::string_view text, std::size_t at, bool byModel) const;

    TokenTrie m_tokens; // the ids are of enum class Kind
    std::string m_firstBytes;
};

} // namespace engine

#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// A text on its way into words: each is a part of the text, in order; what is in none is gone.
struct WordList {
    struct Word {
        std::size_t begin = 0;
        std::size_t bytes = 0;
    };
    std::string text;
    std::vector<Word> words;
    bool atStart = false; ///< the first word begins what was asked about, nothing is before it

    std::string_view operator[](std::size_t i) const
    {
        return std::string_view(text).substr(words[i].begin, words[i].bytes);
    }
};

/// The `pre_tokenizer` of a tokenizer.json, step by step: cuts a text into the words that a model
/// looks at one by one, and may write them differently. Immutable; any thread may call. Linear.
class WordCutter {
public:
    using Step = std::function<void(WordList& list)>;
    /// Where steps make a text longer than this many times what it was, and some, the rest are left
    /// out.
    static constexpr std::size_t kMostGrowth = 32;

    WordCutter() = default;
    /// A null view: the whole text is one word. Errors: UnsupportedTokenizer with the step's type.
    static Result<WordCutter> create(const JsonView& json);

    /// REQUIRES: `text` is well-formed UTF-8.
    WordList cut(std::string text, bool atStart) const;

private:
    std::vector<Step> m_steps;
};

} // namespace engine

#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// What a tokenizer does to a text before it looks at it: the `normalizer` of a tokenizer.json,
/// step by step. Immutable; any thread may call. Linear-logarithmic in the text.
class Normalizer {
public:
    using Step = std::function<std::string(const std::string& text)>;
    /// A step that would make a text longer than this many times what it was, and some, is left
    /// out.
    static constexpr std::size_t kMostGrowth = 32;

    Normalizer() = default;
    /// A null view: nothing is done. Errors: UnsupportedTokenizer with the step's type.
    static Result<Normalizer> create(const JsonView& json);

    bool isEmpty() const { return m_steps.empty(); }
    /// REQUIRES: `text` is well-formed UTF-8. The result is.
    std::string apply(std::string_view text) const;
    /// Whether something is cut off the beginning of `text`.
    bool cutsStartOf(std::string_view text) const;

private:
    std::vector<Step> m_steps;
    bool m_stripsLeft = false;
};

} // namespace engine

#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tokenizer/vocabulary.h"

#include <memory>
#include <string_view>
#include <vector>

namespace engine {

/// The `model` of a tokenizer.json: a word to ids. Immutable; any thread may call.
class WordModel {
public:
    virtual ~WordModel() = default;
    /// Appends the tokens of one word. Linear-logarithmic.
    virtual void encode(std::string_view word, std::vector<TokenId>& out) const = 0;

    /// `json`: the model without its vocabulary and merges, and with `unk_id` where it has an
    /// unknown token; the merges are three ids each under kMergesKey. `vocabulary` must outlive it.
    /// Errors: UnsupportedTokenizer, BadMetadata.
    static Result<std::unique_ptr<const WordModel>>
    create(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary);

    /// Left, right and what they become, for each merge in order.
    static constexpr std::string_view kMergesKey = "inglenook.tokenizer.merges";
    /// The tokens that are found in a text before it comes to the model, which has none of them.
    static constexpr std::string_view kOutsideKey = "inglenook.tokens_outside_model";
};

/// The tokens that a model makes words of: without those outside, and without what only a program
/// may write.
TokenTrie modelTokens(const Metadata& metadata, const Vocabulary& vocabulary);

} // namespace engine

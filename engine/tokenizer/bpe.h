#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tokenizer/joint_filter.h"
#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/token_trie.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <array>
#include <string>

namespace engine {

struct MergeWorkspace;

/// BPE with a list of merges: over bytes ("gpt2"), or over characters with U+2581 for a space where
/// the pre-tokenizer says so (Gemma 4). Broken UTF-8 becomes U+FFFD.
class BpeEncoder final : public TextEncoder {
public:
    static constexpr std::size_t kMaxMerges = 4'194'304;

    /// Errors: MissingMetadata, BadMetadata.
    static Result<std::unique_ptr<const TextEncoder>> create(const Metadata& metadata,
                                                             const Vocabulary& vocabulary,
                                                             const TokenizerSettings& settings);

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override;

private:
    class Builder;

    BpeEncoder(const PretokenizerInfo& info, Pretokenizer pretokenizer)
        : m_info(info)
        , m_pretokenizer(std::move(pretokenizer))
    {
    }
    void readByteTokens();
    bool isToken(std::uint32_t symbol) const { return symbol < m_tokenCount; }
    TokenId wholeWord(std::string_view word) const;
    void encodeWord(std::string_view word, MergeWorkspace& workspace,
                    std::vector<TokenId>& out) const;
    /// A part of a word that no merge leads out of.
    void encodePart(std::string_view word, MergeWorkspace& workspace,
                    std::vector<TokenId>& out) const;

    const PretokenizerInfo& m_info;
    Pretokenizer m_pretokenizer;
    std::uint32_t m_tokenCount = 0; // symbols from here on are no tokens, only parts of merges
    TokenTrie m_symbols;            // by the bytes they stand for
    std::array<TokenId, 256> m_byteTokens{}; // what a byte of no token becomes; may be kNoToken
    MergeTable m_merges;
    JointFilter m_joints;
};

} // namespace engine

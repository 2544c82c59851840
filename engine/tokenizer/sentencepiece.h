#pragma once

#include "engine/base/result.h"
#include "engine/tokenizer/joint_filter.h"
#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <array>

namespace engine {

struct MergeWorkspace;

/// SentencePiece BPE ("llama"): characters merge into the neighbour with which they make the token
/// of the highest score; what is no token falls back to its bytes. Spaces become U+2581.
class SentencePieceEncoder final : public TextEncoder {
public:
    /// Errors: BadMetadata, where some byte tokens are there and others are not.
    static Result<std::unique_ptr<const TextEncoder>> create(const Vocabulary& vocabulary,
                                                             const TokenizerSettings& settings);

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override;

private:
    SentencePieceEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings);
    Result<void> readByteTokens();
    void encodeWord(std::string_view word, MergeWorkspace& workspace,
                    std::vector<TokenId>& out) const;

    TokenTrie m_trie;
    std::vector<std::uint32_t> m_ranks; // by token; the best score has the lowest
    TokenId m_unknown;
    bool m_addSpacePrefix;
    JointFilter m_joints;
    std::array<TokenId, 256> m_byteTokens{};
};

/// `text` with U+2581 for every space.
std::string escapeSpaces(std::string_view text);
/// `text` with a space for every U+2581.
std::string unescapeSpaces(std::string_view text);

} // namespace engine

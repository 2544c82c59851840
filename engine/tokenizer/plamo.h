#pragma once

#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/vocabulary.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// PLaMo 2's tokenizer: the segmentation with the largest sum of scores, found from the end of the
/// text; of equal sums the one whose first tokens are longer. Tokens are the text as it is; a
/// character that is none becomes its bytes. Immutable; any thread may call.
class PlamoEncoder final : public TextEncoder {
public:
    explicit PlamoEncoder(const Vocabulary& vocabulary);

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override;

private:
    struct Step;
    std::vector<Step> bestFrom(std::string_view text) const;

    TokenTrie m_tokens;
    std::vector<std::int64_t> m_scores; // by id
    std::array<TokenId, 256> m_bytes{};
};

} // namespace engine

#pragma once

#include "engine/chat/reply_splitter.h"
#include "engine/engine.h"
#include "engine/generation/stop_string_matcher.h"
#include "engine/tokenizer/stream_decoder.h"

#include <string>
#include <utility>
#include <vector>

namespace engine {

/// The reply being written: turns tokens into text that can be shown, and gathers the result. After
/// it is made a token allocates nothing, but for text longer than was expected.
class ReplyBuilder {
public:
    /// `isMarker`, by token: the control tokens that take a chat's reply apart. `capacity`: tokens.
    ReplyBuilder(const Tokenizer& tokenizer, const std::vector<bool>& isMarker,
                 const ReplyOptions& options, int capacity);

    /// The event of one token; true in the second part where a stop string is complete.
    std::pair<const TokenEvent*, bool> add(const SampledToken& sample, int position,
                                           std::uint64_t settingsVersion);
    /// The end-of-generation token is shown but is not part of the reply.
    const TokenEvent* end(const SampledToken& sample, int position, std::uint64_t settingsVersion);
    GenerationResult finish(StopReason reason);

    GenerationTimings& timings() { return m_result.timings; }
    void setSeed(std::uint64_t seed) { m_result.seed = seed; }
    int size() const { return m_result.timings.generatedTokens; }

private:
    std::string pieceOf(TokenId id) const;
    void keep();
    const TokenEvent& describe(const SampledToken& sample, int position,
                               std::uint64_t settingsVersion);

    const Tokenizer& m_tokenizer;
    const std::vector<bool>* m_isMarker; // null: a reply that is all text
    StreamDecoder m_decoder;
    StopStringMatcher m_matcher;
    ReplySplitter m_splitter;
    std::string m_released;
    ReplyDelta m_delta;
    TokenEvent m_event;
    GenerationResult m_result;
};

} // namespace engine

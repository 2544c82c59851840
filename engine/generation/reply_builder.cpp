#include "engine/generation/reply_builder.h"

namespace engine {

ReplyBuilder::ReplyBuilder(const Tokenizer& tokenizer, const std::vector<bool>& isMarker,
                           const ReplyOptions& options, int capacity)
    : m_tokenizer(tokenizer)
    , m_isMarker(options.format ? &isMarker : nullptr)
    , m_matcher(options.stopStrings)
    , m_splitter(options.format)
{
    m_result.ids.reserve(static_cast<std::size_t>(capacity));
    m_result.text.reserve(static_cast<std::size_t>(capacity) * 8);
    m_delta.text.reserve(256);
    m_event.text.reserve(256);
    m_released.reserve(256);
}

std::pair<const TokenEvent*, bool> ReplyBuilder::add(const SampledToken& sample, int position,
                                                     std::uint64_t settingsVersion)
{
    m_result.ids.push_back(sample.id);
    ++m_result.timings.generatedTokens;
    m_released.clear();
    const bool stopped = m_matcher.feed(m_decoder.push(pieceOf(sample.id)), m_released);
    m_delta.clear();
    m_splitter.push(m_released, m_delta);
    keep();
    // Swapped, so that both keep their memory.
    std::swap(m_event.text, m_delta.text);
    std::swap(m_event.reasoning, m_delta.reasoning);
    std::swap(m_event.toolCalls, m_delta.toolCalls);
    return {&describe(sample, position, settingsVersion), stopped};
}

const TokenEvent* ReplyBuilder::end(const SampledToken& sample, int position,
                                    std::uint64_t settingsVersion)
{
    m_event.text.clear();
    m_event.reasoning.clear();
    m_event.toolCalls.clear();
    return &describe(sample, position, settingsVersion);
}

GenerationResult ReplyBuilder::finish(StopReason reason)
{
    m_result.stopReason = reason;
    m_delta.clear();
    if (reason != StopReason::StopString) {
        m_released.clear();
        if (m_matcher.feed(m_decoder.finish(), m_released))
            m_result.stopReason = StopReason::StopString;
        else
            m_released += m_matcher.finish();
        m_splitter.push(m_released, m_delta);
    }
    m_splitter.finish(m_delta);
    keep();
    m_result.trailing = std::move(m_delta);
    return std::move(m_result);
}

std::string ReplyBuilder::pieceOf(TokenId id) const
{
    const bool isMarker = m_isMarker != nullptr && (*m_isMarker)[static_cast<std::size_t>(id)];
    return m_tokenizer.piece(id, isMarker);
}

void ReplyBuilder::keep()
{
    m_result.text += m_delta.text;
    m_result.reasoning += m_delta.reasoning;
    m_result.toolCalls.insert(m_result.toolCalls.end(), m_delta.toolCalls.begin(),
                              m_delta.toolCalls.end());
}

const TokenEvent& ReplyBuilder::describe(const SampledToken& sample, int position,
                                         std::uint64_t settingsVersion)
{
    m_event.id = sample.id;
    m_event.position = position;
    m_event.settingsVersion = settingsVersion;
    m_event.sample = sample;
    return m_event;
}

} // namespace engine

#pragma once

#include "engine/engine.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace test {

/// Letters are tokens: id = byte. Token 0 ends a generation, 1 is BOS.
class ByteTokenizer final : public engine::Tokenizer {
public:
    std::vector<engine::TokenId> encode(std::string_view text, engine::EncodeOptions) const override
    {
        std::vector<engine::TokenId> ids;
        for (const char byte : text)
            ids.push_back(static_cast<unsigned char>(byte));
        return ids;
    }
    std::string decode(std::span<const engine::TokenId> ids, engine::DecodeOptions) const override
    {
        std::string text;
        for (const engine::TokenId id : ids)
            text += piece(id, false);
        return text;
    }
    std::string piece(engine::TokenId id, bool) const override
    {
        return id < 2 ? std::string() : std::string(1, static_cast<char>(id));
    }
    int size() const override { return 256; }
    std::string_view model() const override { return "bytes"; }
    std::string_view preTokenizer() const override { return {}; }
    engine::TokenId bos() const override { return 1; }
    engine::TokenId eos() const override { return 0; }
    engine::TokenId eot() const override { return -1; }
    bool addsBos() const override { return false; }
    bool addsEos() const override { return false; }
    bool isEndOfGeneration(engine::TokenId id) const override { return id == 0; }
    bool isControl(engine::TokenId id) const override { return id < 2; }
    std::vector<engine::TokenId> endOfGenerationTokens() const override { return {0}; }
};

/// Says a fixed text after whatever prompt, then ends: the logits after position n point at byte n
/// - promptLength of the text. Counts how many tokens it computed.
class ScriptedPass final : public engine::ForwardPass {
public:
    explicit ScriptedPass(std::string script)
        : m_script(std::move(script))
    {
    }

    engine::Result<std::unique_ptr<engine::SequenceState>> createState(int contextLength,
                                                                       engine::KvType kv) override
    {
        stateType = kv;
        return std::make_unique<State>(contextLength, rewindable);
    }

    engine::Result<void> compute(std::span<const engine::ForwardInput> inputs,
                                 std::span<float> logits) override
    {
        for (const engine::ForwardInput& input : inputs) {
            auto& state = static_cast<State&>(*input.state);
            state.tokens.insert(state.tokens.end(), input.tokens.begin(), input.tokens.end());
            computed += static_cast<int>(input.tokens.size());
            for (int row = 0; row < input.logitRows; ++row)
                fill(state.length() - input.logitRows + 1 + row,
                     logits.subspan(static_cast<std::size_t>(row) * 256, 256));
        }
        return {};
    }

    int vocabularySize() const override { return 256; }
    void setObserver(engine::TraceObserver*) override {}
    std::uint64_t residentBytes() const override { return 0; }

    int computed = 0;
    int promptLength = 0;
    bool rewindable = true;                         ///< what new states are
    engine::KvType stateType = engine::KvType::F16; ///< asked for last

private:
    class State final : public engine::SequenceState {
    public:
        State(int capacity, bool rewindable)
            : m_capacity(capacity)
            , m_rewindable(rewindable)
        {
        }
        int length() const override { return static_cast<int>(tokens.size()); }
        int capacity() const override { return m_capacity; }
        int truncate(int length) override
        {
            const int left = truncatedLength(length);
            tokens.resize(static_cast<std::size_t>(left));
            return left;
        }
        int truncatedLength(int length) const override
        {
            if (m_rewindable || length == this->length()) return length;
            int left = 0;
            for (const int place : m_places)
                if (place <= length) left = std::max(left, place);
            return left;
        }
        void remember() override { m_places.push_back(length()); }
        engine::Result<std::unique_ptr<engine::SequenceState>> copy() const override
        {
            return std::make_unique<State>(*this);
        }
        bool isRewindable() const override { return m_rewindable; }
        std::uint64_t sizeBytes() const override { return 0; }
        std::uint64_t usedBytes() const override { return tokens.size(); }
        std::vector<engine::TokenId> tokens;

    private:
        int m_capacity;
        bool m_rewindable;
        std::vector<int> m_places;
    };

    void fill(int length, std::span<float> logits) const
    {
        std::ranges::fill(logits, -10.0F);
        const int at = length - promptLength;
        const bool inside = at >= 0 && static_cast<std::size_t>(at) < m_script.size();
        logits[inside ? static_cast<unsigned char>(m_script[static_cast<std::size_t>(at)]) : 0] =
            10.0F;
    }

    std::string m_script;
};

class ScriptedModel final : public engine::Model {
public:
    explicit ScriptedModel(std::string script, std::uint64_t kvBytesPerToken = 0)
        : pass(std::move(script))
    {
        m_info.contextLength = 64;
        m_info.vocabularySize = 256;
        m_info.kvBytesPerToken = kvBytesPerToken;
    }

    const engine::ModelInfo& info() const override { return m_info; }
    const engine::Tokenizer& tokenizer() const override { return m_tokenizer; }
    engine::ForwardPass& forwardPass() override { return pass; }
    const std::string& notice() const override { return m_notice; }
    engine::Result<std::string> renderChat(std::span<const engine::ChatMessage>) const override
    {
        return std::string();
    }
    engine::Result<engine::ChatPrompt>
    encodeChat(std::span<const engine::ChatMessage>) const override
    {
        return engine::ChatPrompt{};
    }
    std::uint64_t residentBytes() const override { return 0; }

    ScriptedPass pass;

private:
    engine::ModelInfo m_info;
    ByteTokenizer m_tokenizer;
    std::string m_notice;
};

} // namespace test

#include "tests/support/app/fake_engine.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace test {

namespace {

using engine::Result;
using engine::TokenId;

constexpr int kVocabularySize = 256;

void pause(int milliseconds)
{
    if (milliseconds > 0) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// A token a byte.
class ByteTokenizer : public engine::Tokenizer {
public:
    std::vector<TokenId> encode(std::string_view text, engine::EncodeOptions) const override
    {
        std::vector<TokenId> ids;
        for (const char c : text)
            ids.push_back(static_cast<unsigned char>(c));
        return ids;
    }
    std::string decode(std::span<const TokenId> ids, engine::DecodeOptions) const override
    {
        std::string text;
        for (const TokenId id : ids)
            text += static_cast<char>(id);
        return text;
    }
    std::string piece(TokenId id, bool) const override { return {static_cast<char>(id)}; }
    int size() const override { return kVocabularySize; }
    std::string_view model() const override { return "bytes"; }
    std::string_view preTokenizer() const override { return {}; }
    TokenId bos() const override { return -1; }
    TokenId eos() const override { return 0; }
    TokenId eot() const override { return -1; }
    bool addsBos() const override { return false; }
    bool addsEos() const override { return false; }
    bool isEndOfGeneration(TokenId id) const override { return id == 0; }
    bool isControl(TokenId id) const override { return id == 0; }
    std::vector<TokenId> endOfGenerationTokens() const override { return {0}; }
};

/// Nothing calls it: the fake session has its words ready.
class NoForwardPass : public engine::ForwardPass {
public:
    Result<std::unique_ptr<engine::SequenceState>> createState(int, engine::KvType) override
    {
        return engine::fail(engine::ErrorCode::InvalidArgument, "no forward pass");
    }
    Result<void> compute(std::span<const engine::ForwardInput>, std::span<float>) override
    {
        return engine::fail(engine::ErrorCode::InvalidArgument, "no forward pass");
    }
    int vocabularySize() const override { return kVocabularySize; }
    void setObserver(engine::TraceObserver*) override {}
    std::uint64_t residentBytes() const override { return 0; }
};

class FakeModel : public engine::Model {
public:
    FakeModel(std::shared_ptr<FakeEngineControls> controls, engine::ModelInfo info)
        : m_controls(std::move(controls))
        , m_info(std::move(info))
    {
        ++m_controls->modelsAlive;
    }
    ~FakeModel() override { --m_controls->modelsAlive; }

    const engine::ModelInfo& info() const override { return m_info; }
    const engine::Tokenizer& tokenizer() const override { return m_tokenizer; }
    engine::ForwardPass& forwardPass() override { return m_forwardPass; }
    const std::string& notice() const override { return m_notice; }
    Result<std::string> renderChat(std::span<const engine::ChatMessage> messages) const override
    {
        std::string text;
        for (const engine::ChatMessage& message : messages)
            text += message.role + ": " + message.content + "\n";
        return text;
    }
    Result<engine::ChatPrompt>
    encodeChat(std::span<const engine::ChatMessage> messages) const override
    {
        TRY_ASSIGN(const std::string text, renderChat(messages));
        return engine::ChatPrompt{m_tokenizer.encode(text, {}), {.promptEnd = text}};
    }
    std::uint64_t residentBytes() const override { return m_info.tensorBytes; }

private:
    std::shared_ptr<FakeEngineControls> m_controls;
    engine::ModelInfo m_info;
    ByteTokenizer m_tokenizer;
    NoForwardPass m_forwardPass;
    std::string m_notice;
};

class FakeSession : public engine::Session {
public:
    FakeSession(std::shared_ptr<FakeEngineControls> controls, std::shared_ptr<engine::Model> model,
                int contextLength)
        : m_controls(std::move(controls))
        , m_model(std::move(model))
        , m_contextLength(contextLength)
    {
    }

    Result<engine::GenerationResult> generate(std::span<const TokenId> prompt,
                                              const engine::ReplyOptions& options,
                                              const engine::GenerationCallbacks& callbacks,
                                              std::stop_token stop) override
    {
        m_controls->promptCharacters = static_cast<int>(prompt.size());
        m_controls->stopStrings = options.stopStrings;
        if (m_controls->allocationFails) throw std::bad_alloc();
        if (prompt.size() >= static_cast<std::size_t>(m_contextLength))
            return engine::fail(engine::ErrorCode::ContextFull, "the prompt does not fit", {},
                                prompt.size() + 1, static_cast<std::uint64_t>(m_contextLength));
        engine::GenerationResult result;
        result.timings.promptTokens = static_cast<int>(prompt.size());
        m_used = static_cast<int>(prompt.size());
        engine::ReplySplitter splitter(options.format);
        result.stopReason = prefill(callbacks, stop) ? write(callbacks, splitter, stop, result)
                                                     : engine::StopReason::Cancelled;
        if (m_controls->generateError) return std::unexpected(*m_controls->generateError);
        return result;
    }

    int contextLength() const override { return m_contextLength; }
    int contextUsed() const override { return m_used; }
    std::uint64_t sizeBytes() const override { return 1000; }

private:
    bool prefill(const engine::GenerationCallbacks& callbacks, const std::stop_token& stop) const
    {
        const int chunks = m_controls->prefillChunks;
        for (int chunk = 1; chunk <= chunks; ++chunk) {
            pause(1);
            if (callbacks.prefill) callbacks.prefill(chunk, chunks);
            if (stop.stop_requested()) return false;
        }
        return true;
    }

    engine::StopReason write(const engine::GenerationCallbacks& callbacks,
                             engine::ReplySplitter& splitter, const std::stop_token& stop,
                             engine::GenerationResult& result)
    {
        for (std::size_t i = 0;; ++i) {
            const std::size_t count = m_controls->reply.size();
            if (i == count && !m_controls->endless) break;
            if (stop.stop_requested()) return engine::StopReason::Cancelled;
            const engine::SamplingSettings settings = callbacks.settings();
            result.seed = settings.seed.value_or(42);
            if (settings.maxTokens >= 0 && i >= static_cast<std::size_t>(settings.maxTokens))
                return engine::StopReason::MaxTokens;
            if (m_used == m_contextLength) return engine::StopReason::ContextFull;
            pause(m_controls->tokenMilliseconds);
            engine::TokenEvent event;
            event.id = static_cast<TokenId>(i % kVocabularySize);
            engine::ReplyDelta delta;
            splitter.push(m_controls->reply[i % count], delta);
            event.text = delta.text;
            event.reasoning = delta.reasoning;
            event.position = m_used++;
            event.settingsVersion = settings.version;
            event.sample.id = event.id;
            event.sample.candidates = {{.id = event.id}};
            ++m_controls->tokensDecoded;
            ++result.timings.generatedTokens;
            result.timings.decodeSeconds += 0.01;
            if (callbacks.token) callbacks.token(event);
            result.text += event.text;
            result.reasoning += event.reasoning;
        }
        splitter.push(m_controls->trailingText, result.trailing);
        splitter.finish(result.trailing);
        result.text += result.trailing.text;
        result.reasoning += result.trailing.reasoning;
        return engine::StopReason::EndOfGeneration;
    }

    std::shared_ptr<FakeEngineControls> m_controls;
    std::shared_ptr<engine::Model> m_model;
    int m_contextLength;
    int m_used = 0;
};

engine::ModelInfo infoOf(const FakeEngineControls& controls, const std::filesystem::path& path)
{
    engine::ModelInfo info;
    info.name = controls.modelName.empty() ? path.stem().string() : controls.modelName;
    info.architecture = "fake";
    info.quantization = "Q4_K_M";
    info.contextLength = 8192;
    info.vocabularySize = kVocabularySize;
    info.fileBytes = controls.tensorBytes;
    info.tensorBytes = controls.tensorBytes;
    info.kvBytesPerToken = 2;
    return info;
}

Result<std::shared_ptr<engine::Model>> open(const std::shared_ptr<FakeEngineControls>& controls,
                                            const std::filesystem::path& path,
                                            const engine::LoadOptions& options)
{
    controls->lastThreads = options.threads;
    const int steps = controls->loadSteps;
    for (int step = 1; step <= steps; ++step) {
        pause(controls->loadMilliseconds);
        if (options.stop.stop_requested())
            return engine::fail(engine::ErrorCode::Cancelled, "cancelled");
        options.progress(static_cast<double>(step) / steps);
    }
    if (controls->openError) return std::unexpected(*controls->openError);
    return std::make_shared<FakeModel>(controls, infoOf(*controls, path));
}

} // namespace

app::EngineFactory fakeEngine(std::shared_ptr<FakeEngineControls> controls)
{
    return {
        .inspect = [controls](const std::filesystem::path& path) -> Result<engine::ModelInfo> {
            if (controls->inspectError) return std::unexpected(*controls->inspectError);
            return infoOf(*controls, path);
        },
        .open =
            [controls](const std::filesystem::path& path, const engine::LoadOptions& options) {
                return open(controls, path, options);
            },
        .createSession =
            [controls](std::shared_ptr<engine::Model> model,
                       engine::SessionOptions options) -> Result<std::unique_ptr<engine::Session>> {
            if (controls->sessionError) return std::unexpected(*controls->sessionError);
            ++controls->sessionsMade;
            controls->lastContextLength = options.contextLength;
            controls->keptBytes = options.keptBytes;
            return std::make_unique<FakeSession>(controls, std::move(model), options.contextLength);
        },
    };
}

} // namespace test

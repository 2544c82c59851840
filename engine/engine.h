#pragma once

// The public face of the engine: the only header `app` includes besides engine/base/.

#include "engine/base/result.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/reply_splitter.h"
#include "engine/model/forward_pass.h"
#include "engine/sampling/sampler_chain.h"
#include "engine/sampling/sampling_settings.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace engine {

/// What a model file says of itself; from the header alone, no weights are read.
struct ModelInfo {
    std::string name;         ///< general.name, or the file's stem
    std::string architecture; ///< general.architecture
    std::string
        quantization; ///< "Q4_K_M" where the file says so, else its most frequent matrix dtype
    std::uint64_t parameters = 0;
    std::vector<std::pair<std::string, std::uint64_t>> dtypes; ///< name -> tensors of that type
    int contextLength = 0;                                     ///< trained
    int vocabularySize = 0;
    std::string tokenizer; ///< "llama", "gpt2", ...
    std::string preTokenizer;
    bool hasChatTemplate = false;
    std::string chatTemplate;
    std::uint64_t fileBytes = 0;
    std::uint64_t tensorBytes = 0;
    std::uint64_t kvBytesPerToken = 0; ///< in f16
    std::uint64_t multiplyAddsPerToken = 0;
    std::uint64_t weightBytesPerToken = 0; ///< read for one decoded token
};

Result<ModelInfo> inspectModel(const std::filesystem::path& path);

/// The tokenizer alone; a file that holds nothing but a vocabulary will do.
Result<std::unique_ptr<const Tokenizer>> openTokenizer(const std::filesystem::path& path);

struct LoadOptions {
    int threads = 0; ///< 0: defaultThreadCount()
    /// Called from the loading thread with the share done, 0 to 1.
    std::function<void(double)> progress;
    std::stop_token stop;   ///< ends the load with Cancelled
    bool reference = false; ///< use the slow f32 forward pass
    /// LoRA adapters in GGUF, and how much of each is added.
    std::vector<std::pair<std::filesystem::path, float>> adapters;
};

/// A conversation as a model reads it.
struct ChatPrompt {
    std::vector<TokenId> tokens;
    ReplyFormat reply; ///< how what it answers is read
};

/// A loaded model: weights, tokenizer, chat template. Immutable; sessions share it. It must be used
/// by one thread at a time (its thread pool and scratch are shared by its sessions).
class Model {
public:
    static Result<std::shared_ptr<Model>> open(const std::filesystem::path& path,
                                               const LoadOptions& options);
    virtual ~Model() = default;

    virtual const ModelInfo& info() const = 0;
    virtual const Tokenizer& tokenizer() const = 0;
    virtual ForwardPass& forwardPass() = 0;
    /// A sentence where something is used that the file did not ask for (a fallback chat template);
    /// empty otherwise.
    virtual const std::string& notice() const = 0;
    /// The text of the conversation as the model expects it, and its tokens. Exactly one BOS
    /// whatever the template and the tokenizer want; control tokens that a message spells out are
    /// the text they are written as. In encodeChat() an assistant's message at the end is
    /// unfinished: the tokens end where its text does.
    virtual Result<std::string> renderChat(std::span<const ChatMessage> messages) const = 0;
    virtual Result<ChatPrompt> encodeChat(std::span<const ChatMessage> messages) const = 0;
    virtual std::uint64_t residentBytes() const = 0;
};

/// One decoded token.
struct TokenEvent {
    TokenId id = 0;
    std::string text;      ///< whole characters of the answer this token completed; may be empty
    std::string reasoning; ///< the same of what the model thinks before it answers
    std::vector<ToolCall> toolCalls; ///< that this token completed
    int position = 0;                ///< in the context
    SampledToken sample;
    /// Pieces of `sample.candidates`, in their order: raw bytes, may be parts of a character;
    /// control tokens as they are written.
    std::vector<std::string> candidateTexts;
    std::uint64_t settingsVersion = 0;
};

enum class StopReason : std::uint8_t {
    EndOfGeneration,
    StopString,
    MaxTokens,
    ContextFull,
    Cancelled
};

struct GenerationTimings {
    int promptTokens = 0;
    int reusedTokens = 0; ///< of the prompt, found computed already
    int generatedTokens = 0;
    int guessedTokens = 0; ///< computed ahead, because the text seemed to repeat itself
    int usedGuesses = 0;   ///< of these, found to be what was drawn
    double prefillSeconds = 0;
    double decodeSeconds = 0;
    double secondsToFirstToken = 0;
};

struct GenerationResult {
    std::string text;
    std::string reasoning;
    std::vector<ToolCall> toolCalls;
    std::vector<TokenId> ids;
    StopReason stopReason = StopReason::EndOfGeneration;
    ReplyDelta trailing;    ///< the end of the parts above that no token event carried: held back
                            ///< until the reply was over
    std::uint64_t seed = 0; ///< the one used
    GenerationTimings timings;
};

struct ReplyOptions {
    std::vector<std::string> stopStrings;
    std::optional<ReplyFormat> format; ///< nothing: all that the model writes is text
};

struct GenerationCallbacks {
    /// Read before every token; required.
    std::function<SamplingSettings()> settings;
    /// After every token, in the caller's thread. Text that a stop string may still swallow is held
    /// back.
    std::function<void(const TokenEvent&)> token;
    /// Prompt tokens done and in all, between prefill chunks.
    std::function<void(int, int)> prefill;
};

struct SessionOptions {
    int contextLength = 0; ///< 0: the smaller of the trained context and 4096
    /// Nothing: f32 where a full cache of it still fits the processor's own, f16 otherwise.
    std::optional<KvType> kv = std::nullopt;
    int prefillChunk = 256; ///< positions computed together; cancel is seen between chunks
    int observe = 64;       ///< candidates reported with each token
    /// Compute a few guessed tokens beside the one at hand where the text seems to repeat itself.
    /// The reply is the same token for token.
    bool lookUp = true;
    /// A smaller model of the same vocabulary that guesses where nothing repeats; may be null.
    std::shared_ptr<Model> draft = nullptr;
    /// Memory for contexts left for others, so that a chat that is gone on with is not read again;
    /// 0: none is kept.
    std::uint64_t keptBytes = 0;
};

/// One sequence over a model: what it computed is kept and reused when the next prompt begins with
/// the same tokens, or goes on with a context that was left. One thread at a time.
class Session {
public:
    static Result<std::unique_ptr<Session>> create(std::shared_ptr<Model> model,
                                                   SessionOptions options);
    virtual ~Session() = default;

    /// Writes on after `prompt` until an end-of-generation token, a stop string,
    /// settings.maxTokens, a full context or `stop`. What was written so far comes back in every
    /// case but an error.
    virtual Result<GenerationResult> generate(std::span<const TokenId> prompt,
                                              const ReplyOptions& options,
                                              const GenerationCallbacks& callbacks,
                                              std::stop_token stop) = 0;

    virtual int contextLength() const = 0;
    virtual int contextUsed() const = 0;
    virtual std::uint64_t sizeBytes() const = 0;
};

} // namespace engine

// Any JSON as a tokenizer.json: an error, or as many tokens as the model has, and any text through
// its steps.

#include "engine/gguf/metadata.h"
#include "engine/huggingface/model_config.h"
#include "engine/huggingface/tokenizer_files.h"
#include "engine/huggingface/vocabulary.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::int64_t kTokens = 16;
    engine::TokenizerFiles files;
    files.tokenizer = nlohmann::json::parse(data, data + size, nullptr, false);
    if (files.tokenizer.is_discarded()) return 0;
    files.tokenizerConfig = files.tokenizer;
    files.generation = files.tokenizer;
    engine::Metadata metadata;
    const auto config = engine::ModelConfig::fromJson(nlohmann::json::object());
    const auto written = engine::writeVocabulary(files, config, kTokens, metadata);
    if (!written) {
        if (written.error().message.empty()) std::abort();
        return 0;
    }
    const auto* tokens = metadata.strings("tokenizer.ggml.tokens");
    if (tokens == nullptr || tokens->size() != static_cast<std::size_t>(kTokens)) std::abort();
    const auto tokenizer = engine::Tokenizer::create(metadata);
    if (!tokenizer) {
        if (tokenizer.error().message.empty()) std::abort();
        return 0;
    }
    // The file itself is as good a text as any.
    const std::string_view text(reinterpret_cast<const char*>(data),
                                std::min<std::size_t>(size, 4096));
    const auto ids = (*tokenizer)->encode(text, {.addSpecial = true, .parseSpecial = true});
    for (const engine::TokenId id : ids)
        if (id < 0 || id >= kTokens) std::abort();
    (*tokenizer)->decode(ids, {});
    return 0;
}

#pragma once

#include "engine/base/json_view.h"
#include "engine/base/mapped_file.h"
#include "engine/base/result.h"

#include <filesystem>
#include <optional>

namespace engine {

/// The files of a folder that say how it turns text into tokens. What is absent is null.
struct TokenizerFiles {
    std::filesystem::path folder{};
    nlohmann::json tokenizer{};                ///< tokenizer.json
    nlohmann::json tokenizerConfig{};          ///< tokenizer_config.json
    nlohmann::json specialTokens{};            ///< special_tokens_map.json
    nlohmann::json generation{};               ///< generation_config.json
    nlohmann::json addedTokens{};              ///< added_tokens.json
    std::optional<MappedFile> sentencePiece{}; ///< tokenizer.model
    std::optional<MappedFile> own{};           ///< a vocabulary of the form `ownForm`
    const struct OwnVocabularyForm* ownForm = nullptr;

    JsonView config() const { return JsonView(tokenizerConfig); }
    /// SentencePiece's file says all there is.
    bool isSentencePiece() const { return tokenizer.is_null() && sentencePiece.has_value(); }
    bool isOwn() const { return tokenizer.is_null() && !sentencePiece && own.has_value(); }
};

/// Errors: those of readJsonFile() for what is there; FileNotFound without any tokenizer.
Result<TokenizerFiles> readTokenizerFiles(const std::filesystem::path& folder);

/// tokenizer.chat_template, and others by their names: from chat_template.jinja, tokenizer_config
/// .json or chat_template.json. Errors: those of reading files; FileCorrupt where one is too long.
Result<void> writeChatTemplates(const TokenizerFiles& files, class Metadata& metadata);

/// Which token plays which part, what is added around a text, and how the model wants to be
/// sampled. Errors: UnsupportedTokenizer with the type of a post-processor that is not known.
class VocabularyBuilder;
class ModelConfig;
Result<void> writeSpecialTokens(const TokenizerFiles& files, const ModelConfig& config,
                                const VocabularyBuilder& vocabulary, Metadata& metadata);
void writeSampling(const TokenizerFiles& files, Metadata& metadata);

} // namespace engine

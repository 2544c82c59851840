#include "engine/huggingface/tokenizer_files.h"

#include "engine/gguf/metadata.h"
#include "engine/huggingface/own_vocabulary.h"

#include <array>
#include <format>

namespace engine {

namespace {

constexpr std::uint64_t kMostTokenizerBytes = 256U << 20U;
constexpr std::uint64_t kMostOtherBytes = 32U << 20U;
constexpr std::uint64_t kMostTemplateBytes = 1U << 20U;

struct JsonFile {
    const char* name;
    nlohmann::json TokenizerFiles::* json;
    std::uint64_t mostBytes;
};

constexpr std::array kJsonFiles = {
    JsonFile{"tokenizer.json", &TokenizerFiles::tokenizer, kMostTokenizerBytes},
    JsonFile{"tokenizer_config.json", &TokenizerFiles::tokenizerConfig, kMostOtherBytes},
    JsonFile{"special_tokens_map.json", &TokenizerFiles::specialTokens, kMostOtherBytes},
    JsonFile{"generation_config.json", &TokenizerFiles::generation, kMostOtherBytes},
    JsonFile{"added_tokens.json", &TokenizerFiles::addedTokens, kMostOtherBytes},
};

bool isAbsent(const Error& error)
{
    return error.code == ErrorCode::FileNotFound;
}

Result<std::optional<std::string>> readText(const std::filesystem::path& path)
{
    auto file = MappedFile::open(path);
    if (!file && isAbsent(file.error())) return std::nullopt;
    if (!file) return std::unexpected(std::move(file).error());
    const auto bytes = file->bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<void> setTemplate(const std::string& name, const std::string& text, Metadata& metadata)
{
    if (text.size() > kMostTemplateBytes)
        return fail(ErrorCode::FileCorrupt,
                    std::format("the chat template \"{}\": expected at most {} bytes, found {}",
                                name, kMostTemplateBytes, text.size()),
                    "chat_template", kMostTemplateBytes, text.size());
    const bool main = name.empty() || name == "default";
    metadata.set(main ? "tokenizer.chat_template" : "tokenizer.chat_template." + name, text);
    return {};
}

// One template, or a list of named ones.
Result<void> writeTemplates(const JsonView& value, Metadata& metadata)
{
    if (const std::string* text = value.string()) return setTemplate({}, *text, metadata);
    const auto* list = value.array();
    if (list == nullptr) return {};
    for (const nlohmann::json& entry : *list) {
        const JsonView named(entry);
        const std::string* text = named["template"].string();
        if (text) TRY(setTemplate(named["name"].stringOr(""), *text, metadata));
    }
    return {};
}

} // namespace

Result<TokenizerFiles> readTokenizerFiles(const std::filesystem::path& folder)
{
    TokenizerFiles files{.folder = folder};
    for (const JsonFile& row : kJsonFiles) {
        auto json = readJsonFile(folder / row.name, row.mostBytes);
        if (json)
            files.*row.json = std::move(*json);
        else if (!isAbsent(json.error()))
            return std::unexpected(std::move(json).error());
    }
    for (const char* name : {"tokenizer.model", "sentencepiece.bpe.model", "spiece.model"}) {
        auto file = MappedFile::open(folder / name);
        if (!file) continue;
        files.sentencePiece = std::move(*file);
        break;
    }
    for (const OwnVocabularyForm& form : ownVocabularyForms()) {
        auto file = MappedFile::open(folder / form.file);
        if (!file) continue;
        files.own = std::move(*file);
        files.ownForm = &form;
        break;
    }
    if (files.tokenizer.is_null() && !files.sentencePiece && !files.own)
        return fail(ErrorCode::FileNotFound,
                    std::format("{}: expected a GGUF file, or a folder with tokenizer.json or "
                                "tokenizer.model; this folder has neither, choose another",
                                folder.string()),
                    "tokenizer.json", 1);
    return files;
}

Result<void> writeChatTemplates(const TokenizerFiles& files, Metadata& metadata)
{
    TRY(writeTemplates(files.config()["chat_template"], metadata));
    if (!metadata.contains("tokenizer.chat_template")) {
        auto json = readJsonFile(files.folder / "chat_template.json", kMostOtherBytes);
        if (json)
            TRY(writeTemplates(JsonView(*json)["chat_template"], metadata));
        else if (!isAbsent(json.error()))
            return std::unexpected(std::move(json).error());
    }
    // A file of its own wins.
    TRY_ASSIGN(const std::optional<std::string> text,
               readText(files.folder / "chat_template.jinja"));
    if (text) TRY(setTemplate({}, *text, metadata));
    return {};
}

} // namespace engine

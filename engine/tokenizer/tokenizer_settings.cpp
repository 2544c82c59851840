#include "engine/tokenizer/tokenizer_settings.h"

#include "engine/tokenizer/steps/stepwise_tokenizer.h"

#include <algorithm>
#include <format>
#include <string_view>

namespace engine {

namespace {

constexpr std::string_view kModelKey = "tokenizer.ggml.model";
constexpr std::string_view kPreKey = "tokenizer.ggml.pre";

/// What a tokenizer.ggml.model means where the file says nothing else.
struct ModelDefaults {
    std::string_view name;
    TokenizerKind kind;
    TokenId bos;
    TokenId eos;
    TokenId unknown;
    TokenId separator;
    bool addBos;
    bool addEos;
    bool addSpacePrefix;
    bool cleanSpaces;
};

constexpr ModelDefaults kModels[] = {
    {"llama", TokenizerKind::SentencePiece, 1, 2, 0, -1, true, false, true, false},
    {"gpt2", TokenizerKind::Bpe, -1, -1, -1, -1, false, false, false, false},
    {"gemma4", TokenizerKind::Bpe, -1, -1, -1, -1, false, false, false, false},
    {"bert", TokenizerKind::WordPiece, 101, -1, 100, 102, true, false, false, true},
    {"t5", TokenizerKind::Unigram, -1, 1, 2, -1, false, true, false, false},
    {"rwkv", TokenizerKind::Rwkv, -1, -1, -1, -1, false, false, false, false},
    {"plamo2", TokenizerKind::Plamo, 1, 2, 0, -1, false, false, false, false},
};

struct IdKey {
    std::string_view key;
    TokenId TokenizerSettings::* id;
    bool required; ///< an id outside the vocabulary is an error, not the same as none
};

constexpr IdKey kIdKeys[] = {
    {"tokenizer.ggml.bos_token_id", &TokenizerSettings::bos, true},
    {"tokenizer.ggml.eos_token_id", &TokenizerSettings::eos, true},
    {"tokenizer.ggml.eot_token_id", &TokenizerSettings::eot, false},
    {"tokenizer.ggml.eom_token_id", &TokenizerSettings::eom, false},
    {"tokenizer.ggml.unknown_token_id", &TokenizerSettings::unknown, false},
    {"tokenizer.ggml.seperator_token_id", &TokenizerSettings::separator, false}, // spelt so
    {"tokenizer.ggml.fim_pad_token_id", &TokenizerSettings::fimPad, false},
    {"tokenizer.ggml.fim_rep_token_id", &TokenizerSettings::fimRepository, false},
    {"tokenizer.ggml.fim_sep_token_id", &TokenizerSettings::fimSeparator, false},
};

struct FlagKey {
    std::string_view key;
    bool TokenizerSettings::* flag;
};

constexpr FlagKey kFlagKeys[] = {
    {"tokenizer.ggml.add_bos_token", &TokenizerSettings::addBos},
    {"tokenizer.ggml.add_eos_token", &TokenizerSettings::addEos},
    {"tokenizer.ggml.add_space_prefix", &TokenizerSettings::addSpacePrefix},
    {"tokenizer.ggml.remove_extra_whitespaces", &TokenizerSettings::removeExtraWhitespaces},
};

std::unexpected<Error> unsupported(std::string_view key, const std::string& name)
{
    return fail(ErrorCode::UnsupportedTokenizer,
                std::format("{}: \"{}\" is not known", key, name.substr(0, 80)), name);
}

Result<void> readModel(const Metadata& metadata, TokenizerSettings& settings)
{
    TRY_ASSIGN(settings.model, metadata.string(kModelKey));
    const auto* const model = std::ranges::find(kModels, settings.model, &ModelDefaults::name);
    if (model == std::end(kModels)) return unsupported(kModelKey, settings.model);
    settings.kind = model->kind;
    settings.bos = model->bos;
    settings.eos = model->eos;
    settings.unknown = model->unknown;
    settings.separator = model->separator;
    settings.addBos = model->addBos;
    settings.addEos = model->addEos;
    settings.addSpacePrefix = model->addSpacePrefix;
    settings.cleanSpaces = model->cleanSpaces;
    settings.preTokenizerName = metadata.stringOr(kPreKey, "");
    return {};
}

Result<void> applyPretokenizer(TokenizerSettings& settings)
{
    if (settings.kind != TokenizerKind::Bpe) return {};
    const std::string name = settings.model == "gemma4" ? "gemma4" : settings.preTokenizerName;
    const PretokenizerInfo* const info = findPretokenizer(name);
    if (!info) return unsupported(kPreKey, name);
    settings.preTokenizer = info;
    settings.addBos = info->has(kAddBos);
    settings.cleanSpaces = info->has(kCleanSpaces);
    settings.escapeWhitespaces = info->has(kRawText);
    return {};
}

Result<void> readIds(const Metadata& metadata, const Vocabulary& vocabulary,
                     TokenizerSettings& settings)
{
    for (const IdKey& row : kIdKeys) {
        TokenId& id = settings.*row.id;
        if (!vocabulary.contains(id)) id = kNoToken;
        if (!metadata.contains(row.key)) continue;
        TRY_ASSIGN(const std::int64_t found, metadata.integer(row.key));
        if (vocabulary.contains(found))
            id = static_cast<TokenId>(found);
        else if (row.required)
            return fail(ErrorCode::BadMetadata,
                        std::format("{}: expected a token of the {} in the vocabulary, found {}",
                                    row.key, vocabulary.size(), found),
                        std::string(row.key), static_cast<std::uint64_t>(vocabulary.size()),
                        static_cast<std::uint64_t>(found));
    }
    for (const auto& [key, list] : {std::pair(TokenizerSettings::kBeforeKey, &settings.before),
                                    std::pair(TokenizerSettings::kBehindKey, &settings.behind)}) {
        for (const std::int64_t id : metadata.integers(key).value_or(std::vector<std::int64_t>{}))
            if (vocabulary.contains(id)) list->push_back(static_cast<TokenId>(id));
    }
    return {};
}

void readFlags(const Metadata& metadata, TokenizerSettings& settings)
{
    for (const FlagKey& row : kFlagKeys)
        settings.*row.flag = metadata.booleanOr(row.key, settings.*row.flag);
    if (settings.preTokenizer && settings.preTokenizer->has(kForceBos)) settings.addBos = true;
    settings.lowercase = metadata.booleanOr("tokenizer.ggml.normalizer.lowercase", true);
    settings.stripAccents =
        metadata.booleanOr("tokenizer.ggml.normalizer.strip_accents", settings.lowercase);
}

} // namespace

Result<TokenizerSettings> TokenizerSettings::read(const Metadata& metadata,
                                                  const Vocabulary& vocabulary)
{
    TokenizerSettings settings;
    TRY(readModel(metadata, settings));
    TRY(applyPretokenizer(settings));
    // A folder names its tokens; it means none of the model's usual ones by saying nothing.
    if (metadata.contains(TokenizerSteps::kKey))
        settings.bos = settings.eos = settings.unknown = settings.separator = kNoToken;
    TRY(readIds(metadata, vocabulary, settings));
    readFlags(metadata, settings);
    return settings;
}

} // namespace engine

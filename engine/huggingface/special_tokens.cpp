#include "engine/huggingface/model_config.h"
#include "engine/huggingface/tokenizer_files.h"
#include "engine/huggingface/vocabulary_builder.h"
#include "engine/tokenizer/steps/step_list.h"
#include "engine/tokenizer/tokenizer_settings.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

/// A part that a token plays: GGUF's key, and config.json's names for it.
struct Role {
    std::string_view gguf;
    std::string_view name;      ///< "bos": bos_token, bos_token_id, add_bos_token
    std::string_view instead{}; ///< the part that BERT has in its place
};

constexpr std::array kRoles = {
    Role{"bos", "bos", "cls"}, Role{"eos", "eos", "sep"}, Role{"unknown", "unk"},
    Role{"seperator", "sep"},  Role{"padding", "pad"},    Role{"mask", "mask"},
};

std::string idKey(std::string_view role)
{
    return std::format("tokenizer.ggml.{}_token_id", role);
}

/// A token is given as its text, or as an object with it.
std::string tokenText(const JsonView& value)
{
    if (const std::string* text = value.string()) return *text;
    return value["content"].stringOr("");
}

class RoleFinder {
public:
    RoleFinder(const TokenizerFiles& files, const ModelConfig& config,
               const VocabularyBuilder& vocabulary)
        : m_files(files)
        , m_config(config)
        , m_vocabulary(vocabulary)
    {
    }

    std::optional<std::int64_t> find(std::string_view role) const
    {
        const std::string name = std::format("{}_token", role);
        for (const JsonView& source : {m_files.config(), JsonView(m_files.specialTokens)}) {
            const std::string text = tokenText(source[name]);
            if (text.empty()) continue;
            if (const auto id = m_vocabulary.find(text)) return id;
        }
        for (const std::int64_t id : ids(name + "_id"))
            return id;
        return std::nullopt;
    }

    /// What generation_config.json or config.json lists: one id or several, those that are tokens.
    std::vector<std::int64_t> ids(const std::string& name) const
    {
        JsonView value = JsonView(m_files.generation)[name];
        if (!value) value = m_config[name];
        std::vector<std::int64_t> found;
        const auto add = [&](const JsonView& element) {
            const auto id = element.integer();
            if (id && *id >= 0 && *id < m_vocabulary.size()) found.push_back(*id);
        };
        if (const auto* list = value.array()) {
            for (const nlohmann::json& element : *list)
                add(JsonView(element));
        } else {
            add(value);
        }
        return found;
    }

private:
    const TokenizerFiles& m_files;
    const ModelConfig& m_config;
    const VocabularyBuilder& m_vocabulary;
};

/// What the post-processor puts before and after a text.
struct Surroundings {
    bool known = false;
    std::vector<std::int64_t> before{};
    std::vector<std::int64_t> behind{};
};

std::unexpected<Error> badProcessor(std::string_view expected)
{
    return fail(ErrorCode::BadMetadata,
                std::format("tokenizer.json: post_processor: expected {}", expected),
                "post_processor");
}

/// A token that is named by its id, or by its text alone.
Result<std::int64_t> tokenOf(std::optional<std::int64_t> id, std::string_view text,
                             const VocabularyBuilder& vocabulary)
{
    if (!id) id = vocabulary.find(text);
    if (id && *id >= 0 && *id < vocabulary.size()) return *id;
    return badProcessor(
        std::format("tokens of the {} in the vocabulary, found \"{}\"", vocabulary.size(), text));
}

/// A template names what may be several tokens, and says beside it which.
Result<void> readTemplate(const JsonView& processor, const VocabularyBuilder& vocabulary,
                          Surroundings& found)
{
    const auto* single = processor["single"].array();
    if (single == nullptr) return badProcessor("a list \"single\"");
    found = {.known = true};
    int texts = 0;
    for (const nlohmann::json& part : *single) {
        const JsonView token = JsonView(part)["SpecialToken"];
        if (!token) {
            ++texts;
            continue;
        }
        const std::string name = token["id"].stringOr("");
        auto& side = texts > 0 ? found.behind : found.before;
        const auto* ids = processor["special_tokens"][name]["ids"].array();
        if (ids == nullptr) {
            TRY_ASSIGN(side.emplace_back(), tokenOf(std::nullopt, name, vocabulary));
            continue;
        }
        for (const nlohmann::json& id : *ids) {
            TRY_ASSIGN(side.emplace_back(),
                       tokenOf(JsonView(id).integer().value_or(-1), name, vocabulary));
        }
    }
    return texts == 1 ? Result<void>() : badProcessor("one place for the text in \"single\"");
}

// RoBERTa's and BERT's name their two tokens directly: [text, id].
Result<void> readPair(const JsonView& processor, const VocabularyBuilder& vocabulary,
                      Surroundings& found)
{
    found = {.known = true};
    for (const auto& [name, side] :
         {std::pair("cls", &found.before), std::pair("sep", &found.behind)}) {
        const auto* pair = processor[name].array();
        if (pair == nullptr || pair->size() != 2)
            return badProcessor(std::format("a token and its id as \"{}\"", name));
        TRY_ASSIGN(side->emplace_back(), tokenOf(JsonView((*pair)[1]).integer(),
                                                 JsonView((*pair)[0]).stringOr(""), vocabulary));
    }
    return {};
}

// What trims the places of tokens in a text adds none.
Result<void> readNothing(const JsonView&, const VocabularyBuilder&, Surroundings&)
{
    return {};
}

Result<Surroundings> surroundings(const JsonView& processor, const VocabularyBuilder& vocabulary)
{
    struct Reader {
        std::string_view type;
        Result<void> (*read)(const JsonView& processor, const VocabularyBuilder& vocabulary,
                             Surroundings& found);
    };
    static constexpr std::array<Reader, 4> kReaders = {{{"TemplateProcessing", readTemplate},
                                                        {"RobertaProcessing", readPair},
                                                        {"BertProcessing", readPair},
                                                        {"ByteLevel", readNothing}}};
    constexpr StepKind kKind{"post-processor", "processors"};
    Surroundings found;
    TRY_ASSIGN(const std::vector<JsonView> steps, listSteps(processor, kKind));
    for (const JsonView& step : steps) {
        TRY_ASSIGN(const Reader* reader, findMaker(kReaders, step, kKind));
        TRY(reader->read(step, vocabulary, found));
    }
    return found;
}

/// One side of a text: the part that GGUF lets a token play there, and what the folder says.
struct Side {
    std::string_view role;
    std::string_view name; ///< add_NAME_token
    std::vector<std::int64_t> tokens;
    bool fallback; ///< a token is added where no post-processor says so

    /// Whether anything is, where what the folder's configuration says counts most.
    bool isAdded(const TokenizerFiles& files, bool known) const
    {
        const bool added = known ? !tokens.empty() : fallback;
        return files.config()[std::format("add_{}_token", name)].boolean().value_or(added);
    }
};

/// Whether GGUF's keys say the same of a side: one token that plays the part.
bool isPlain(const Side& side, bool added, const Metadata& metadata)
{
    if (side.tokens.size() > 1) return false;
    return side.tokens.empty() || !added ||
           metadata.integerOr(idKey(side.role), -1) == side.tokens.front();
}

Result<void> writeAdded(const TokenizerFiles& files, const VocabularyBuilder& vocabulary,
                        Metadata& metadata)
{
    TRY_ASSIGN(const Surroundings around,
               surroundings(JsonView(files.tokenizer)["post_processor"], vocabulary));
    const std::string model = metadata.stringOr("tokenizer.ggml.model", "");
    // A tokenizer.model alone has no post-processor; Llama's class adds the first token, T5's (of
    // unigrams) the last.
    const bool alone = files.isSentencePiece();
    const bool llama = model == "llama", bert = model == "bert";
    const Side before{"bos", "bos", around.before, alone && llama};
    const Side behind{bert ? "seperator" : "eos", "eos", around.behind, alone && !llama};
    bool plain = true;
    for (const Side* side : {&before, &behind}) {
        const bool added = side->isAdded(files, around.known);
        metadata.set(std::format("tokenizer.ggml.add_{}_token", side->name), added);
        for (const std::string_view role : {side->role, side->name})
            if (side->tokens.size() == 1 && !metadata.contains(idKey(role)))
                metadata.set(idKey(role), static_cast<std::uint64_t>(side->tokens.front()));
        plain = plain && isPlain(*side, added, metadata);
    }
    if (plain) return {};
    // What GGUF has no keys for.
    const auto list = [&](const Side& side) {
        const bool left = side.tokens.size() == 1 && !side.isAdded(files, around.known);
        return left ? std::vector<std::int64_t>() : side.tokens;
    };
    metadata.set(std::string(TokenizerSettings::kBeforeKey), list(before));
    metadata.set(std::string(TokenizerSettings::kBehindKey), list(behind));
    return {};
}

/// The tokenizer itself may know what stands for a text it has no token for: by its text or its id.
void writeUnknown(const TokenizerFiles& files, const VocabularyBuilder& vocabulary,
                  Metadata& metadata)
{
    if (metadata.contains(idKey("unknown"))) return;
    const JsonView model = JsonView(files.tokenizer)["model"];
    auto id = model["unk_id"].integer();
    if (const std::string* text = model["unk_token"].string(); text && !id)
        id = vocabulary.find(*text);
    if (id && *id >= 0 && *id < vocabulary.size())
        metadata.set(idKey("unknown"), static_cast<std::uint64_t>(*id));
}

} // namespace

Result<void> writeSpecialTokens(const TokenizerFiles& files, const ModelConfig& config,
                                const VocabularyBuilder& vocabulary, Metadata& metadata)
{
    const RoleFinder finder(files, config, vocabulary);
    for (const Role& role : kRoles) {
        auto id = finder.find(role.name);
        if (!id && !role.instead.empty()) id = finder.find(role.instead);
        if (id) metadata.set(idKey(role.gguf), static_cast<std::uint64_t>(*id));
    }
    writeUnknown(files, vocabulary, metadata);
    TRY(writeAdded(files, vocabulary, metadata));

    // A model may end its turn with any of several; GGUF has a key for two more.
    const std::int64_t eos = metadata.integerOr(idKey("eos"), -1);
    std::vector<std::int64_t> others = finder.ids("eos_token_id");
    std::erase(others, eos);
    if (!others.empty()) metadata.set(idKey("eot"), static_cast<std::uint64_t>(others[0]));
    if (others.size() > 1) metadata.set(idKey("eom"), static_cast<std::uint64_t>(others[1]));
    return {};
}

void writeSampling(const TokenizerFiles& files, Metadata& metadata)
{
    const JsonView generation(files.generation);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNumbers = {{
        {"temperature", "general.sampling.temp"},
        {"top_p", "general.sampling.top_p"},
        {"min_p", "general.sampling.min_p"},
        {"repetition_penalty", "general.sampling.penalty_repeat"},
    }};
    for (const auto& [name, key] : kNumbers) {
        if (const auto value = generation[name].number()) metadata.set(std::string(key), *value);
    }
    if (const auto topK = generation["top_k"].integer())
        metadata.set("general.sampling.top_k", *topK);
}

} // namespace engine

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
    std::vector<std::string> before{};
    std::vector<std::string> behind{};
};

void readTemplate(const JsonView& processor, Surroundings& found)
{
    const auto* single = processor["single"].array();
    if (single == nullptr || single->empty()) return;
    found = {.known = true};
    bool afterText = false;
    for (const nlohmann::json& part : *single) {
        const JsonView token = JsonView(part)["SpecialToken"];
        if (token)
            (afterText ? found.behind : found.before).push_back(token["id"].stringOr(""));
        else
            afterText = true;
    }
}

// RoBERTa's and BERT's name their two tokens directly: [text, id].
void readPair(const JsonView& processor, Surroundings& found)
{
    const auto text = [&](std::string_view name) {
        const auto* pair = processor[name].array();
        return pair && !pair->empty() ? JsonView(pair->front()).stringOr("") : std::string{};
    };
    found = {.known = true, .before = {text("cls")}, .behind = {text("sep")}};
}

// What trims the places of tokens in a text adds none.
void readNothing(const JsonView&, Surroundings&) {}

Result<Surroundings> surroundings(const JsonView& processor)
{
    struct Reader {
        std::string_view type;
        void (*read)(const JsonView& processor, Surroundings& found);
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
        reader->read(step, found);
    }
    return found;
}

/// More than one token before or behind a text, for which GGUF has no keys.
void writeLists(const Surroundings& around, const VocabularyBuilder& vocabulary, Metadata& metadata)
{
    if (around.before.size() < 2 && around.behind.size() < 2) return;
    const auto write = [&](std::string_view key, const std::vector<std::string>& texts) {
        std::vector<std::int64_t> ids;
        for (const std::string& text : texts)
            if (const auto id = vocabulary.find(text)) ids.push_back(*id);
        metadata.set(std::string(key), std::move(ids));
    };
    write(TokenizerSettings::kBeforeKey, around.before);
    write(TokenizerSettings::kBehindKey, around.behind);
}

Result<void> writeAdded(const TokenizerFiles& files, const VocabularyBuilder& vocabulary,
                        Metadata& metadata)
{
    TRY_ASSIGN(const Surroundings around,
               surroundings(JsonView(files.tokenizer)["post_processor"]));
    const std::string first = around.before.empty() ? "" : around.before.front();
    const std::string last = around.behind.empty() ? "" : around.behind.back();
    const bool llama = metadata.stringOr("tokenizer.ggml.model", "") == "llama";
    // A tokenizer.model alone has no post-processor; Llama's class adds the first token, T5's (of
    // unigrams) the last.
    const bool alone = files.isSentencePiece();
    const auto write = [&](std::string_view role, const std::string& text, bool fallback) {
        const auto id = text.empty() ? std::nullopt : vocabulary.find(text);
        if (id && !metadata.contains(idKey(role)))
            metadata.set(idKey(role), static_cast<std::uint64_t>(*id));
        const bool added = id.has_value() || (!around.known && fallback);
        const auto said = files.config()[std::format("add_{}_token", role)].boolean();
        metadata.set(std::format("tokenizer.ggml.add_{}_token", role), said.value_or(added));
    };
    const auto lastId = vocabulary.find(last);
    const bool bert = metadata.stringOr("tokenizer.ggml.model", "") == "bert";
    if (bert && lastId && !last.empty() && !metadata.contains(idKey("seperator")))
        metadata.set(idKey("seperator"), static_cast<std::uint64_t>(*lastId));
    write("bos", first, alone && llama);
    write("eos", last, alone && !llama);
    writeLists(around, vocabulary, metadata);
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

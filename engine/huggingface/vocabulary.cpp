#include "engine/huggingface/vocabulary.h"

#include "engine/huggingface/own_vocabulary.h"
#include "engine/huggingface/pretokenizer_names.h"
#include "engine/huggingface/sentencepiece_model.h"
#include "engine/huggingface/tokenizer_files.h"
#include "engine/huggingface/vocabulary_builder.h"
#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/steps/stepwise_tokenizer.h"
#include "engine/tokenizer/steps/word_model.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

constexpr std::string_view kSpaceMark = "\u2581";
constexpr std::string_view kByteSpace = "\u0120"; // how byte-level tokens write a space
constexpr double kAddedScore = -1000.0;

std::unexpected<Error> corrupt(std::string_view what)
{
    return fail(ErrorCode::FileCorrupt, std::format("tokenizer.json: {}", what), "tokenizer.json");
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

// Added tokens that are no words although their files do not say so.
bool looksSpecial(std::string_view text)
{
    constexpr std::array<std::string_view, 4> kTexts = {"<pad>", "<mask>", "<2mass>", "[@BOS@]"};
    const auto between = [text](std::string_view begin, std::string_view end) {
        return text.size() >= begin.size() + end.size() && text.starts_with(begin) &&
               text.ends_with(end);
    };
    return std::ranges::contains(kTexts, text) || between("<|", "|>") ||
           between("<\uFF5C", "\uFF5C>") || between("<unused", ">");
}

bool isByteToken(std::string_view text)
{
    return text.size() == 6 && text.starts_with("<0x") && text.ends_with(">");
}

/// Whether a step of that type is anywhere in a normalizer, pre-tokenizer or decoder.
JsonView findStep(const JsonView& step, std::string_view type, int depth = 0)
{
    if (step["type"].stringOr("") == type) return step;
    for (const char* list : {"normalizers", "pretokenizers", "decoders"}) {
        const auto* steps = step[list].array();
        if (steps == nullptr || depth > 3) continue;
        for (const nlohmann::json& inner : *steps) {
            if (const JsonView found = findStep(JsonView(inner), type, depth + 1)) return found;
        }
    }
    return {};
}

class TokenizerReader {
public:
    TokenizerReader(const TokenizerFiles& files, std::int64_t size, Metadata& metadata)
        : m_files(files)
        , m_json(files.tokenizer)
        , m_model(m_json["model"])
        , m_vocabulary(size)
        , m_metadata(metadata)
    {
    }

    Result<VocabularyBuilder> read()
    {
        if (m_files.tokenizer.is_null()) {
            TRY(m_files.isOwn() ? readOwnFile() : readSentencePieceFile());
            return std::move(m_vocabulary);
        }
        struct Reader {
            std::string_view type;
            Result<void> (TokenizerReader::*read)();
        };
        static constexpr std::array<Reader, 4> kReaders = {{
            {"BPE", &TokenizerReader::readPairs},
            {"Unigram", &TokenizerReader::readUnigram},
            {"WordPiece", &TokenizerReader::readWordPiece},
            {"WordLevel", &TokenizerReader::readWordLevel},
        }};
        const std::string type = modelType();
        const auto* const reader = std::ranges::find(kReaders, type, &Reader::type);
        if (reader == kReaders.end())
            return fail(ErrorCode::UnsupportedTokenizer,
                        std::format("tokenizer.json: expected a model of type BPE, Unigram, "
                                    "WordPiece or WordLevel, found \"{}\"",
                                    type.substr(0, 80)),
                        type.substr(0, 80));
        TRY((this->*reader->read)());
        return std::move(m_vocabulary);
    }

private:
    std::string modelType() const
    {
        if (const std::string* type = m_model["type"].string()) return *type;
        if (m_model["merges"]) return "BPE"; // files of old leave it out
        return m_model["vocab"].array() ? "Unigram" : "";
    }

    /// The file's own rules, followed step by step; of a known tokenizer the normalizer alone.
    void writeSteps(bool all)
    {
        nlohmann::json steps = nlohmann::json::object();
        const auto copy = [&](const char* name) {
            if (m_json[name]) steps[name] = m_files.tokenizer[name];
        };
        copy("normalizer");
        if (all) {
            copy("pre_tokenizer");
            copy("decoder");
            steps["model"] = modelRules();
            // Byte-pair tokenizers ignore what their configuration says of it.
            steps["clean_spaces"] =
                modelType() != "BPE" &&
                m_files.config()["clean_up_tokenization_spaces"].boolean().value_or(false);
        }
        m_metadata.set(std::string(TokenizerSteps::kKey), steps.dump());
    }

    /// The model without the lists in it.
    nlohmann::json modelRules() const
    {
        nlohmann::json rules = nlohmann::json::object();
        if (const auto* members = m_model.object()) {
            for (const auto& [name, value] : *members)
                if (name != "vocab" && name != "merges") rules[name] = value;
        }
        rules["type"] = modelType();
        const std::string unknown = m_model["unk_token"].stringOr("");
        if (const auto id = m_vocabulary.find(unknown); id && !unknown.empty())
            rules["unk_id"] = *id;
        return rules;
    }

    void setModel(std::string model, std::string pre)
    {
        m_metadata.set("tokenizer.ggml.model", std::move(model));
        m_metadata.set("tokenizer.ggml.pre", std::move(pre));
    }

    /// {text: id, ...}
    Result<void> readVocab()
    {
        const auto* vocab = m_model["vocab"].object();
        if (vocab == nullptr) return corrupt("expected model.vocab");
        for (const auto& [text, id] : *vocab) {
            const auto number = JsonView(id).integer();
            if (!number) return corrupt("expected numbers in model.vocab");
            TRY(m_vocabulary.set(*number, text, TokenType::Normal));
        }
        return {};
    }

    /// Takes a merge as "left right" or ["left", "right"].
    static std::optional<std::pair<std::string, std::string>> readMerge(const nlohmann::json& merge)
    {
        const JsonView view(merge);
        if (const std::string* text = view.string()) {
            const std::size_t space = text->find(' ', 1); // the left part may be a space
            if (space == std::string::npos || space + 1 == text->size()) return std::nullopt;
            return std::pair(text->substr(0, space), text->substr(space + 1));
        }
        const auto* parts = view.array();
        if (parts == nullptr || parts->size() != 2) return std::nullopt;
        const std::string* left = JsonView((*parts)[0]).string();
        const std::string* right = JsonView((*parts)[1]).string();
        if (left == nullptr || right == nullptr) return std::nullopt;
        return std::pair(*left, *right);
    }

    template <typename Take>
    Result<void> forEachMerge(Take take) const
    {
        const auto* merges = m_model["merges"].array();
        if (merges == nullptr) return corrupt("expected model.merges");
        for (const nlohmann::json& merge : *merges) {
            auto pair = readMerge(merge);
            if (!pair) return corrupt("expected merges of two parts");
            take(std::move(pair->first), std::move(pair->second));
        }
        return {};
    }

    Result<void> readPairs()
    {
        const bool bytes = findStep(m_json["pre_tokenizer"], "ByteLevel") ||
                           findStep(m_json["normalizer"], "ByteLevel") ||
                           findStep(m_json["decoder"], "ByteLevel");
        if (!bytes) return readCharacterPairs();
        // No known tokenizer has tokens for bytes beside those of all characters that are bytes.
        const bool fallsBack =
            m_model["byte_fallback"].boolean().value_or(false) && m_model["vocab"]["<0x00>"];
        const auto known = knownPretokenizer(m_json, cleansSpaces());
        if (known && !fallsBack) return readKnownByteLevel(*known);
        setModel("gpt2", "default");
        TRY(readVocab());
        if (fallsBack) markBytesAndUnknown();
        TRY(writeMergedIds());
        TRY(readAddedTokens());
        m_vocabulary.write(m_metadata, false);
        writeSteps(true);
        return {};
    }

    /// Each merge as the ids of its parts and of what they become; those of no tokens never happen.
    Result<void> writeMergedIds()
    {
        const std::size_t prefix = m_model["continuing_subword_prefix"].stringOr("").size();
        std::vector<std::int64_t> ids;
        TRY(forEachMerge([&](const std::string& left, const std::string& right) {
            const auto first = m_vocabulary.find(left);
            const auto second = m_vocabulary.find(right);
            const auto both =
                m_vocabulary.find(left + right.substr(std::min(prefix, right.size())));
            if (first && second && both) ids.insert(ids.end(), {*first, *second, *both});
        }));
        m_metadata.set(std::string(WordModel::kMergesKey), std::move(ids));
        return {};
    }

    Result<void> readKnownByteLevel(const std::string& pre)
    {
        setModel("gpt2", pre);
        TRY(readVocab());
        std::vector<std::string> merges;
        TRY(forEachMerge([&merges](std::string left, std::string right) {
            // A space parts the two, so one in them is written as byte-level tokens do.
            merges.push_back(replaced(std::move(left), " ", kByteSpace) + " " +
                             replaced(std::move(right), " ", kByteSpace));
        }));
        m_metadata.set("tokenizer.ggml.merges", std::move(merges));
        TRY(readAddedTokens());
        m_vocabulary.write(m_metadata, false);
        writeSteps(false);
        return {};
    }

    bool cleansSpaces() const
    {
        return m_files.config()["clean_up_tokenization_spaces"].boolean().value_or(true);
    }

    Result<void> readCharacterPairs()
    {
        setModel("llama", "default");
        TRY(readVocab());
        TRY(scoreByMerges());
        markBytesAndUnknown();
        TRY(writeMergedIds());
        TRY(readAddedTokens());
        m_vocabulary.write(m_metadata, true);
        writeSteps(true);
        return {};
    }

    // SentencePiece joins the pair with the best score first, tokenizer.json the one whose merge
    // comes first: a token's score is its first merge's place, counted down.
    Result<void> scoreByMerges()
    {
        for (std::int64_t id = 0; id < m_vocabulary.size(); ++id)
            m_vocabulary.setScore(id, 0);
        std::vector<bool> scored(static_cast<std::size_t>(m_vocabulary.size()));
        double place = 0;
        return forEachMerge([&](const std::string& left, const std::string& right) {
            --place;
            const auto id = m_vocabulary.find(left + right);
            if (!id || scored[static_cast<std::size_t>(*id)]) return;
            scored[static_cast<std::size_t>(*id)] = true;
            m_vocabulary.setScore(*id, place);
        });
    }

    void markBytesAndUnknown()
    {
        for (std::int64_t id = 0; id < m_vocabulary.size(); ++id) {
            if (m_vocabulary.type(id) == TokenType::Normal && isByteToken(m_vocabulary.text(id)))
                m_vocabulary.setType(id, TokenType::Byte);
        }
        const std::string unknown = m_model["unk_token"].stringOr("");
        if (const auto id = m_vocabulary.find(unknown); id && !unknown.empty())
            m_vocabulary.setType(*id, TokenType::Unknown);
    }

    Result<void> readSentencePieceFile()
    {
        setModel("llama", "default");
        TRY_ASSIGN(const SentencePieceModel model,
                   readSentencePieceModel(m_files.sentencePiece->bytes()));
        std::int64_t id = 0;
        for (const SentencePieceToken& token : model.tokens) {
            if (id >= m_vocabulary.size()) break; // some models have fewer rows than their file
            TRY(m_vocabulary.set(id++, std::string(token.text), token.type,
                                 static_cast<double>(token.score)));
        }
        const auto said = m_files.config()["add_prefix_space"].boolean();
        m_metadata.set("tokenizer.ggml.add_space_prefix", said.value_or(model.addDummyPrefix));
        setId("unknown", model.unknown);
        setId("bos", model.bos);
        setId("eos", model.eos);
        setId("padding", model.padding);
        if (model.unigram) {
            setModel("t5", "default");
            m_metadata.set("tokenizer.ggml.remove_extra_whitespaces", model.removeExtraWhitespaces);
            if (!model.precompiledCharsmap.empty()) setCharsmap(model.precompiledCharsmap);
        }
        TRY(readAddedTokensBeside());
        m_vocabulary.write(m_metadata, true);
        return {};
    }

    Result<void> readOwnFile()
    {
        const OwnVocabularyForm& form = *m_files.ownForm;
        setModel(std::string(form.model), std::string(form.pre));
        TRY_ASSIGN(OwnVocabulary own, form.read(m_files.own->bytes()));
        for (OwnToken& token : own.tokens) {
            if (token.id >= m_vocabulary.size()) continue; // the model has no row for it
            TRY(m_vocabulary.set(token.id, std::move(token.text), token.type, token.score));
        }
        if (!own.merges.empty()) m_metadata.set("tokenizer.ggml.merges", std::move(own.merges));
        if (form.endOfTurn >= 0) setId("eot", form.endOfTurn);
        TRY(readAddedTokensBeside());
        m_vocabulary.write(m_metadata, form.hasScores);
        return {};
    }

    /// What a tokenizer.model says of its own tokens; the files beside it have the last word.
    void setId(std::string_view role, std::int64_t id)
    {
        if (id >= 0 && id < m_vocabulary.size())
            m_metadata.set(std::format("tokenizer.ggml.{}_token_id", role),
                           static_cast<std::uint64_t>(id));
    }

    /// [[text, score], ...] in the order of ids.
    Result<void> readUnigram()
    {
        setModel("t5", "default");
        const auto* vocab = m_model["vocab"].array();
        if (vocab == nullptr) return corrupt("expected model.vocab");
        std::int64_t id = 0;
        for (const nlohmann::json& entry : *vocab) {
            const auto* pair = JsonView(entry).array();
            if (pair == nullptr || pair->size() != 2) return corrupt("expected [text, score]");
            const std::string* text = JsonView((*pair)[0]).string();
            const auto score = JsonView((*pair)[1]).number();
            if (text == nullptr || !score) return corrupt("expected [text, score]");
            const TokenType type = isByteToken(*text) ? TokenType::Byte : TokenType::Normal;
            TRY(m_vocabulary.set(id++, *text, type, *score));
        }
        const auto unknown = m_model["unk_id"].integer();
        TRY(readAddedTokens());
        for (std::int64_t token = 0; token < id; ++token)
            m_vocabulary.setScore(
                token,
                JsonView((*vocab)[static_cast<std::size_t>(token)]).array()->at(1).get<double>());
        if (unknown && *unknown >= 0 && *unknown < m_vocabulary.size())
            m_vocabulary.setType(*unknown, TokenType::Unknown);
        m_vocabulary.write(m_metadata, true);
        writeSteps(true);
        return {};
    }

    Result<void> readWordLevel()
    {
        setModel("gpt2", "default");
        TRY(readVocab());
        TRY(readAddedTokens());
        m_vocabulary.write(m_metadata, false);
        writeSteps(true);
        return {};
    }

    void setCharsmap(std::span<const std::byte> map)
    {
        std::vector<std::uint64_t> bytes;
        bytes.reserve(map.size());
        for (const std::byte byte : map)
            bytes.push_back(std::to_integer<std::uint64_t>(byte));
        m_metadata.set("tokenizer.ggml.precompiled_charsmap", std::move(bytes));
    }

    Result<void> readWordPiece()
    {
        setModel("bert", "default");
        TRY(readVocab());
        TRY(readAddedTokens());
        m_vocabulary.write(m_metadata, false);
        writeSteps(true);
        return {};
    }

    /// With the rules by which they are found in a text.
    Result<void> readAddedTokens()
    {
        struct Flag {
            std::string_view name;
            std::string_view key;
            std::vector<std::uint64_t> ids{};
        };
        std::array<Flag, 4> flags = {{{"lstrip", kStripLeftKey},
                                      {"rstrip", kStripRightKey},
                                      {"single_word", AddedTokens::kSingleWordKey},
                                      {"normalized", AddedTokens::kNormalizedKey}}};
        std::vector<std::uint64_t> all;
        std::vector<std::uint64_t> outside;
        if (const auto* added = m_json["added_tokens"].array()) {
            for (const nlohmann::json& entry : *added) {
                const JsonView token(entry);
                const auto id = token["id"].integer();
                const bool isNew = isInside(id) && m_vocabulary.type(*id) == TokenType::Unused;
                TRY(addToken(id, token));
                if (!isInside(id)) continue;
                if (isNew) outside.push_back(static_cast<std::uint64_t>(*id));
                all.push_back(static_cast<std::uint64_t>(*id));
                for (Flag& flag : flags)
                    if (token[flag.name].boolean().value_or(false)) flag.ids.push_back(all.back());
            }
        }
        m_metadata.set(std::string(AddedTokens::kIdsKey), std::move(all));
        m_metadata.set(std::string(WordModel::kOutsideKey), std::move(outside));
        for (Flag& flag : flags)
            m_metadata.set(std::string(flag.key), std::move(flag.ids));
        return {};
    }

    /// Beside a tokenizer.model: text by id, and objects by id.
    Result<void> readAddedTokensBeside()
    {
        if (const auto* added = JsonView(m_files.addedTokens).object()) {
            for (const auto& [text, id] : *added)
                TRY(addText(JsonView(id).integer(), text, false));
        }
        if (const auto* added = m_files.config()["added_tokens_decoder"].object()) {
            for (const auto& [id, entry] : *added)
                TRY(addToken(nlohmann::json::parse(id, nullptr, false), JsonView(entry)));
        }
        return {};
    }

    bool isInside(std::optional<std::int64_t> id) const
    {
        return id && *id >= 0 && *id < m_vocabulary.size();
    }

    Result<void> addToken(const nlohmann::json& id, const JsonView& token)
    {
        return addToken(JsonView(id).integer(), token);
    }

    Result<void> addToken(std::optional<std::int64_t> id, const JsonView& token)
    {
        const std::string* text = token["content"].string();
        if (text == nullptr) return corrupt("expected added tokens with id and content");
        return addText(id, *text, token["special"].boolean().value_or(false));
    }

    Result<void> addText(std::optional<std::int64_t> id, const std::string& text, bool special)
    {
        if (!id) return corrupt("expected added tokens with id and content");
        const bool inside = isInside(id);
        // Tokens the model has no row for cannot be in any text for it.
        if (!inside && *id >= 0) return {};
        if (inside && m_vocabulary.type(*id) == TokenType::Unknown) return {};
        const bool ownFile = m_files.isSentencePiece(); // where U+2581 always is a space
        const bool control = special || looksSpecial(text);
        return m_vocabulary.set(*id, ownFile && !control ? replaced(text, kSpaceMark, " ") : text,
                                control ? TokenType::Control : TokenType::UserDefined, kAddedScore);
    }

    const TokenizerFiles& m_files;
    JsonView m_json;
    JsonView m_model;
    VocabularyBuilder m_vocabulary;
    Metadata& m_metadata;
};

} // namespace

Result<void> writeVocabulary(const std::filesystem::path& folder, const ModelConfig& config,
                             std::int64_t tokens, Metadata& metadata)
{
    TRY_ASSIGN(const TokenizerFiles files, readTokenizerFiles(folder));
    return writeVocabulary(files, config, tokens, metadata);
}

Result<void> writeVocabulary(const TokenizerFiles& files, const ModelConfig& config,
                             std::int64_t tokens, Metadata& metadata)
{
    TRY_ASSIGN(const VocabularyBuilder vocabulary, TokenizerReader(files, tokens, metadata).read());
    TRY(writeSpecialTokens(files, config, vocabulary, metadata));
    writeSampling(files, metadata);
    return writeChatTemplates(files, metadata);
}

std::int64_t tokenCount(const TokenizerFiles& files)
{
    std::int64_t count = 0;
    const auto add = [&count](std::optional<std::int64_t> id) {
        count = std::max(count, id.value_or(-1) + 1);
    };
    const JsonView tokenizer(files.tokenizer);
    const JsonView vocab = tokenizer["model"]["vocab"];
    if (const auto* list = vocab.array()) count = std::ssize(*list);
    if (const auto* members = vocab.object()) {
        for (const auto& [text, id] : *members)
            add(JsonView(id).integer());
    }
    if (files.isOwn()) {
        if (const auto own = files.ownForm->read(files.own->bytes())) {
            for (const OwnToken& token : own->tokens)
                add(token.id);
        }
    }
    if (files.isSentencePiece()) {
        if (const auto model = readSentencePieceModel(files.sentencePiece->bytes()))
            count = std::ssize(model->tokens);
    }
    if (const auto* added = tokenizer["added_tokens"].array()) {
        for (const nlohmann::json& token : *added)
            add(JsonView(token)["id"].integer());
    }
    if (const auto* added = JsonView(files.addedTokens).object()) {
        for (const auto& [text, id] : *added)
            add(JsonView(id).integer());
    }
    return count;
}

} // namespace engine

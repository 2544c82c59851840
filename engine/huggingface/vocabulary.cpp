#include "engine/huggingface/vocabulary.h"

#include "engine/huggingface/base64.h"
#include "engine/huggingface/pretokenizer_names.h"
#include "engine/huggingface/sentencepiece_model.h"
#include "engine/huggingface/tokenizer_files.h"
#include "engine/huggingface/vocabulary_builder.h"
#include "engine/tokenizer/special_tokens.h"

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
        const std::string type = modelType();
        if (type == "BPE" && !isSentencePiece()) {
            TRY(readByteLevel());
        } else if (type == "BPE" || m_files.tokenizer.is_null()) {
            TRY(readSentencePiece());
        } else if (type == "Unigram") {
            TRY(readUnigram());
        } else if (type == "WordPiece") {
            TRY(readWordPiece());
        } else {
            return fail(ErrorCode::UnsupportedTokenizer,
                        std::format("tokenizer.json: expected a model of type BPE, Unigram or "
                                    "WordPiece, found \"{}\"",
                                    type.substr(0, 80)),
                        type.substr(0, 80));
        }
        return std::move(m_vocabulary);
    }

private:
    std::string modelType() const
    {
        if (const std::string* type = m_model["type"].string()) return *type;
        if (m_model["merges"]) return "BPE"; // files of old leave it out
        return m_model["vocab"].array() ? "Unigram" : "";
    }

    bool isSentencePiece() const
    {
        const bool bytes = findStep(m_json["pre_tokenizer"], "ByteLevel") ||
                           findStep(m_json["decoder"], "ByteLevel");
        return !bytes;
    }

    void setModel(const char* model, std::string pre)
    {
        m_metadata.set("tokenizer.ggml.model", std::string(model));
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

    Result<void> readByteLevel()
    {
        TRY_ASSIGN(std::string pre, pretokenizerName(m_json, cleansSpaces()));
        setModel("gpt2", std::move(pre));
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
        return {};
    }

    bool cleansSpaces() const
    {
        return m_files.config()["clean_up_tokenization_spaces"].boolean().value_or(true);
    }

    Result<void> readSentencePiece()
    {
        setModel("llama", "default");
        if (m_files.sentencePiece) {
            TRY(readSentencePieceFile());
        } else {
            TRY(readVocab());
            TRY(scoreByMerges());
            markBytesAndUnknown();
            m_metadata.set("tokenizer.ggml.add_space_prefix", hasPrefixSpace());
        }
        TRY(readAddedTokens());
        m_vocabulary.write(m_metadata, true);
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
        return forEachMerge([&](std::string left, std::string right) {
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

    bool hasPrefixSpace() const
    {
        if (const auto said = m_files.config()["add_prefix_space"].boolean()) return *said;
        if (findStep(m_json["normalizer"], "Prepend")) return true;
        const JsonView meta = findStep(m_json["pre_tokenizer"], "Metaspace");
        if (!meta) return false;
        if (const auto add = meta["add_prefix_space"].boolean()) return *add;
        return meta["prepend_scheme"].stringOr("always") != "never";
    }

    Result<void> readSentencePieceFile()
    {
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
        if (!model.unigram) return {};
        setModel("t5", "default");
        m_metadata.set("tokenizer.ggml.remove_extra_whitespaces", model.removeExtraWhitespaces);
        if (!model.precompiledCharsmap.empty()) setCharsmap(model.precompiledCharsmap);
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
        if (unknown && *unknown >= 0 && *unknown < m_vocabulary.size())
            m_vocabulary.setType(*unknown, TokenType::Unknown);
        m_metadata.set("tokenizer.ggml.add_space_prefix", hasPrefixSpace());
        m_metadata.set("tokenizer.ggml.remove_extra_whitespaces", removesExtraSpaces());
        writeCharsmap();
        m_vocabulary.write(m_metadata, true);
        return {};
    }

    bool removesExtraSpaces() const
    {
        if (findStep(m_json["pre_tokenizer"], "WhitespaceSplit")) return true;
        const JsonView replace = findStep(m_json["normalizer"], "Replace");
        return replace["pattern"]["Regex"].stringOr("").contains("{2,}");
    }

    void writeCharsmap()
    {
        const JsonView step = findStep(m_json["normalizer"], "Precompiled");
        const std::string* text = step["precompiled_charsmap"].string();
        if (text == nullptr) return;
        setCharsmap(decodeBase64(*text));
    }

    void setCharsmap(std::span<const std::byte> map)
    {
        std::vector<std::uint64_t> bytes;
        bytes.reserve(map.size());
        for (const std::byte byte : map)
            bytes.push_back(std::to_integer<std::uint64_t>(byte));
        m_metadata.set("tokenizer.ggml.precompiled_charsmap", std::move(bytes));
    }

    // GGUF marks the beginning of a word where WordPiece marks its continuation.
    Result<void> readWordPiece()
    {
        setModel("bert", "default");
        TRY(readVocab());
        TRY(readAddedTokens());
        const std::string mark = m_model["continuing_subword_prefix"].stringOr("##");
        for (std::int64_t id = 0; id < m_vocabulary.size(); ++id) {
            if (m_vocabulary.type(id) != TokenType::Normal) continue;
            const std::string text = m_vocabulary.text(id);
            std::string marked = !mark.empty() && text.starts_with(mark)
                                     ? text.substr(mark.size())
                                     : std::string(kSpaceMark) + text;
            TRY(m_vocabulary.set(id, std::move(marked), TokenType::Normal));
        }
        const JsonView normalizer = findStep(m_json["normalizer"], "BertNormalizer");
        const bool lowercase = normalizer["lowercase"].boolean().value_or(
            static_cast<bool>(findStep(m_json["normalizer"], "Lowercase")));
        m_metadata.set("tokenizer.ggml.normalizer.lowercase", lowercase);
        m_metadata.set(
            "tokenizer.ggml.normalizer.strip_accents",
            normalizer["strip_accents"].boolean().value_or(
                normalizer ? lowercase
                           : static_cast<bool>(findStep(m_json["normalizer"], "StripAccents"))));
        m_vocabulary.write(m_metadata, false);
        return {};
    }

    Result<void> readAddedTokens()
    {
        if (const auto* added = m_json["added_tokens"].array()) {
            for (const nlohmann::json& entry : *added) {
                const JsonView token(entry);
                TRY(addToken(token["id"].integer(), token));
            }
            m_metadata.set(std::string(kStripLeftKey), std::move(m_stripLeft));
            m_metadata.set(std::string(kStripRightKey), std::move(m_stripRight));
            return {};
        }
        // Beside a tokenizer.model: text by id, and objects by id.
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

    Result<void> addToken(const nlohmann::json& id, const JsonView& token)
    {
        return addToken(JsonView(id).integer(), token);
    }

    Result<void> addToken(std::optional<std::int64_t> id, const JsonView& token)
    {
        const std::string* text = token["content"].string();
        if (text == nullptr) return corrupt("expected added tokens with id and content");
        if (id && *id >= 0 && *id < m_vocabulary.size()) {
            const auto number = static_cast<std::uint64_t>(*id);
            if (token["lstrip"].boolean().value_or(false)) m_stripLeft.push_back(number);
            if (token["rstrip"].boolean().value_or(false)) m_stripRight.push_back(number);
        }
        return addText(id, *text, token["special"].boolean().value_or(false));
    }

    Result<void> addText(std::optional<std::int64_t> id, const std::string& text, bool special)
    {
        if (!id) return corrupt("expected added tokens with id and content");
        const bool inside = *id >= 0 && *id < m_vocabulary.size();
        // Tokens the model has no row for cannot be in any text for it.
        if (!inside && *id >= 0) return {};
        if (inside && m_vocabulary.type(*id) == TokenType::Unknown) return {};
        if (special || looksSpecial(text))
            return m_vocabulary.set(*id, text, TokenType::Control, kAddedScore);
        return m_vocabulary.set(*id, replaced(text, kSpaceMark, " "), TokenType::UserDefined,
                                kAddedScore);
    }

    const TokenizerFiles& m_files;
    JsonView m_json;
    JsonView m_model;
    VocabularyBuilder m_vocabulary;
    Metadata& m_metadata;
    std::vector<std::uint64_t> m_stripLeft;
    std::vector<std::uint64_t> m_stripRight;
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
    writeSpecialTokens(files, config, vocabulary, metadata);
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
    if (files.sentencePiece && files.tokenizer.is_null()) {
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

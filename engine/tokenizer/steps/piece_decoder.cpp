#include "engine/tokenizer/steps/piece_decoder.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/steps/foreign_splitter.h"
#include "engine/tokenizer/steps/step_list.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

constexpr StepKind kKind{"decoder", "decoders"};

} // namespace

struct PieceDecoder::Maker {
    std::string_view type;
    Result<void> (PieceDecoder::*add)(const JsonView& json);
};

Result<PieceDecoder> PieceDecoder::create(const JsonView& json)
{
    PieceDecoder decoder;
    if (json) {
        TRY_ASSIGN(const std::vector<JsonView> steps, listSteps(json, kKind));
        for (const JsonView& step : steps)
            TRY(decoder.add(step));
        return decoder;
    }
    decoder.m_dropsLeading = true;
    decoder.m_steps.emplace_back([](const std::string& token) { return ' ' + token; });
    return decoder;
}

Result<void> PieceDecoder::add(const JsonView& step)
{
    static constexpr std::array<Maker, 9> kMakers = {{
        {"Replace", &PieceDecoder::addReplace},
        {"ByteLevel", &PieceDecoder::addByteLevel},
        {"Metaspace", &PieceDecoder::addMetaspace},
        {"ByteFallback", &PieceDecoder::addByteFallback},
        {"WordPiece", &PieceDecoder::addWordPiece},
        {"BPEDecoder", &PieceDecoder::addSuffix},
        {"Strip", &PieceDecoder::addStrip},
        {"Fuse", &PieceDecoder::addNothing},
        {"CTC", &PieceDecoder::addNothing},
    }};
    TRY_ASSIGN(const Maker* maker, findMaker(kMakers, step, kKind));
    return (this->*maker->add)(step);
}

void PieceDecoder::replaceText(std::string from, std::string to)
{
    if (from.empty()) return;
    m_steps.emplace_back([from = std::move(from), to = std::move(to)](const std::string& token) {
        std::string out;
        std::size_t done = 0;
        for (std::size_t at = token.find(from); at != std::string_view::npos;
             at = token.find(from, done)) {
            out.append(token, done, at - done);
            out += to;
            done = at + from.size();
        }
        return out.append(token, done);
    });
}

Result<void> PieceDecoder::addReplace(const JsonView& json)
{
    TRY_ASSIGN(PatternFinder find, findPattern(json["pattern"]));
    m_steps.emplace_back([find = std::move(find),
                          content = json["content"].stringOr("")](const std::string& token) {
        std::string out;
        for (const PatternPart& part : find()(token))
            out += part.isMatch ? std::string_view(content)
                                : std::string_view(token).substr(part.begin, part.end - part.begin);
        return out;
    });
    return {};
}

Result<void> PieceDecoder::addByteLevel(const JsonView&)
{
    m_steps.emplace_back([](const std::string& token) {
        std::string bytes;
        return byte_level::append(token, bytes) ? bytes : token;
    });
    return {};
}

Result<void> PieceDecoder::addMetaspace(const JsonView& json)
{
    replaceText(json["replacement"].stringOr("\u2581"), " ");
    const bool prefixes = json["add_prefix_space"].boolean().value_or(true);
    m_dropsLeading = prefixes && json["prepend_scheme"].stringOr("always") != "never";
    return {};
}

Result<void> PieceDecoder::addByteFallback(const JsonView&)
{
    m_readsBytes = true;
    return {};
}

namespace {

/// Undoes the space before a mark or an ending that is a token of its own.
std::string cleanedToken(const std::string& token)
{
    constexpr std::array<std::string_view, 9> kJoined = {" .",  " ?",  " !",   " ,",  " n't",
                                                         " 'm", " 's", " 've", " 're"};
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const std::string_view rest = std::string_view(token).substr(i);
        const bool joins = std::ranges::any_of(
            kJoined, [&](std::string_view joined) { return rest.starts_with(joined); });
        if (!joins) out += token[i];
    }
    return out;
}

} // namespace

// Here, as in GGUF files, U+2581 marks the tokens that begin a word.
Result<void> PieceDecoder::addWordPiece(const JsonView& json)
{
    const bool cleans = json["cleanup"].boolean().value_or(true);
    m_steps.emplace_back([cleans](const std::string& token) {
        constexpr std::string_view kMark = "\u2581";
        const std::string text =
            token.starts_with(kMark) ? ' ' + token.substr(kMark.size()) : token;
        return cleans ? cleanedToken(text) : text;
    });
    m_partsWords = true;
    m_dropsLeading = true;
    return {};
}

Result<void> PieceDecoder::addSuffix(const JsonView& json)
{
    replaceText(json["suffix"].stringOr("</w>"), " ");
    m_dropsTrailing = true;
    return {};
}

/// Of a whole text; only spaces are met in files.
Result<void> PieceDecoder::addStrip(const JsonView& json)
{
    m_dropsLeading =
        json["content"].stringOr(" ") == " " && json["start"].integer().value_or(0) > 0;
    m_dropsTrailing =
        json["content"].stringOr(" ") == " " && json["stop"].integer().value_or(0) > 0;
    return {};
}

Result<void> PieceDecoder::addNothing(const JsonView&)
{
    return {};
}

std::string PieceDecoder::piece(std::string_view token) const
{
    std::string changed(token);
    for (const Step& step : m_steps)
        changed = step(changed);
    return changed;
}

} // namespace engine

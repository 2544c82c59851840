#include "engine/tokenizer/steps/piece_decoder.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/space_cleaner.h"
#include "engine/tokenizer/steps/foreign_splitter.h"
#include "engine/tokenizer/steps/step_list.h"
#include "engine/tokenizer/stream_decoder.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace engine {

namespace {

constexpr StepKind kKind{"decoder", "decoders"};

std::string replaced(std::string_view text, std::string_view from, std::string_view to)
{
    if (from.empty()) return std::string(text);
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = text.find(from); at != std::string_view::npos;
         at = text.find(from, done)) {
        out += text.substr(done, at - done);
        out += to;
        done = at + from.size();
    }
    out += text.substr(done);
    return out;
}

/// What "<0x0A>" stands for; -1 for other tokens.
int byteOfToken(std::string_view token)
{
    if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return -1;
    int byte = -1;
    const char* const end = token.data() + 5;
    const auto read = std::from_chars(token.data() + 3, end, byte, 16);
    return read.ec == std::errc{} && read.ptr == end ? byte : -1;
}

void joinAll(std::vector<std::string>& tokens)
{
    std::string text;
    for (const std::string& token : tokens)
        text += token;
    tokens.assign(1, text);
}

/// Bytes of no character become U+FFFD.
void joinBytes(std::vector<std::string>& tokens)
{
    StreamDecoder decoder;
    std::string text;
    for (const std::string& token : tokens)
        text += decoder.push(token);
    text += decoder.finish();
    tokens.assign(1, text);
}

/// A run of byte tokens is one text, or, where it is no UTF-8, a U+FFFD for each.
void joinByteTokens(std::vector<std::string>& tokens)
{
    std::vector<std::string> out;
    std::string run;
    const auto closeRun = [&] {
        if (unicode::wellFormed(run) == run) {
            if (!run.empty()) out.push_back(run);
        } else {
            out.insert(out.end(), run.size(), std::string("\xEF\xBF\xBD"));
        }
        run.clear();
    };
    for (std::string& token : tokens) {
        if (const int byte = byteOfToken(token); byte >= 0) {
            run += static_cast<char>(byte);
            continue;
        }
        closeRun();
        out.push_back(std::move(token));
    }
    closeRun();
    tokens = std::move(out);
}

void dropRepeated(std::vector<std::string>& tokens)
{
    const auto repeated = std::ranges::unique(tokens);
    tokens.erase(repeated.begin(), repeated.end());
}

/// Undoes the space before a mark or an ending that is a token of its own.
std::string cleanedToken(std::string token)
{
    constexpr std::array<std::array<std::string_view, 2>, 11> kJoined = {{{" .", "."},
                                                                          {" ?", "?"},
                                                                          {" !", "!"},
                                                                          {" ,", ","},
                                                                          {" ' ", "'"},
                                                                          {" n't", "n't"},
                                                                          {" 'm", "'m"},
                                                                          {" do not", " don't"},
                                                                          {" 's", "'s"},
                                                                          {" 've", "'ve"},
                                                                          {" 're", "'re"}}};
    for (const auto& [from, to] : kJoined)
        token = replaced(token, from, to);
    return token;
}

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
    decoder.m_steps.push_back({.change = [](const std::string& token, Place place) {
        return place.first ? token : ' ' + token;
    }});
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
        {"Fuse", &PieceDecoder::addFuse},
        {"CTC", &PieceDecoder::addAlignment},
    }};
    TRY_ASSIGN(const Maker* maker, findMaker(kMakers, step, kKind));
    return (this->*maker->add)(step);
}

Result<void> PieceDecoder::addReplace(const JsonView& json)
{
    TRY_ASSIGN(PatternFinder find, findPattern(json["pattern"]));
    m_steps.push_back({.change = [find = std::move(find), content = json["content"].stringOr("")](
                                     const std::string& token, Place) {
        std::string out;
        for (const PatternPart& part : find()(token))
            out += part.isMatch ? std::string_view(content)
                                : std::string_view(token).substr(part.begin, part.end - part.begin);
        return out;
    }});
    return {};
}

Result<void> PieceDecoder::addByteLevel(const JsonView&)
{
    m_steps.push_back({.change =
                           [](const std::string& token, Place) {
                               std::string bytes;
                               return byte_level::append(token, bytes) ? bytes : token;
                           },
                       .join = joinBytes});
    m_joined = true;
    return {};
}

/// The first token's spaces are those that were put before the text.
Result<void> PieceDecoder::addMetaspace(const JsonView& json)
{
    const bool prefixes = json["add_prefix_space"].boolean().value_or(true) &&
                          json["prepend_scheme"].stringOr("always") != "never";
    m_steps.push_back({.change = [mark = json["replacement"].stringOr("\u2581"),
                                  prefixes](const std::string& token, Place place) {
        return replaced(token, mark, prefixes && place.first ? "" : " ");
    }});
    return {};
}

Result<void> PieceDecoder::addByteFallback(const JsonView&)
{
    m_steps.push_back({.join = joinByteTokens});
    m_readsBytes = true;
    return {};
}

Result<void> PieceDecoder::addWordPiece(const JsonView& json)
{
    m_steps.push_back({.change = [prefix = json["prefix"].stringOr("##"),
                                  cleans = json["cleanup"].boolean().value_or(true)](
                                     const std::string& token, Place place) {
        std::string text = token;
        if (!place.first)
            text = token.starts_with(prefix) ? token.substr(prefix.size()) : ' ' + token;
        return cleans ? cleanedToken(std::move(text)) : text;
    }});
    return {};
}

Result<void> PieceDecoder::addSuffix(const JsonView& json)
{
    m_steps.push_back({.change = [suffix = json["suffix"].stringOr("</w>")](
                                     const std::string& token, Place place) {
        return replaced(token, suffix, place.last ? "" : " ");
    }});
    return {};
}

Result<void> PieceDecoder::addStrip(const JsonView& json)
{
    const auto count = [&json](std::string_view name) {
        return std::max<std::int64_t>(0, json[name].integer().value_or(0));
    };
    m_steps.push_back({.change =
                           [content = json["content"].stringOr(" "), start = count("start"),
                            stop = count("stop")](const std::string& token, Place) {
                               std::string_view rest = token;
                               if (content.empty()) return token;
                               for (auto i = start; i > 0 && rest.starts_with(content); --i)
                                   rest.remove_prefix(content.size());
                               for (auto i = stop; i > 0 && rest.ends_with(content); --i)
                                   rest.remove_suffix(content.size());
                               return std::string(rest);
                           },
                       .ofWholeText = m_joined});
    return {};
}

Result<void> PieceDecoder::addFuse(const JsonView&)
{
    m_steps.push_back({.join = joinAll});
    m_joined = true;
    return {};
}

/// Speech models write a token for every moment, so one that goes on is there several times.
Result<void> PieceDecoder::addAlignment(const JsonView& json)
{
    m_steps.push_back({.join = dropRepeated});
    m_steps.push_back(
        {.change =
             [padding = json["pad_token"].stringOr("<pad>"),
              delimiter = json["word_delimiter_token"].stringOr("|"),
              cleans = json["cleanup"].boolean().value_or(true)](const std::string& token, Place) {
                 std::string text = replaced(token, padding, "");
                 return cleans ? replaced(cleanedToken(std::move(text)), delimiter, " ") : text;
             },
         .join = [](Tokens& tokens) { std::erase(tokens, ""); }});
    return {};
}

std::string PieceDecoder::text(std::vector<std::string> tokens) const
{
    for (const Step& step : m_steps) {
        for (std::size_t i = 0; step.change && i < tokens.size(); ++i)
            tokens[i] = step.change(tokens[i], {i == 0, i + 1 == tokens.size()});
        if (step.join) step.join(tokens);
    }
    joinAll(tokens);
    return m_cleans ? cleanedSpaces(tokens.front()) : std::move(tokens.front());
}

std::string PieceDecoder::piece(std::string_view token) const
{
    std::string changed(token);
    for (const Step& step : m_steps)
        if (step.change && !step.ofWholeText) changed = step.change(changed, {});
    return changed;
}

} // namespace engine

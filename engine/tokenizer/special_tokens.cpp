#include "engine/tokenizer/special_tokens.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace engine {

namespace {

using Names = std::span<const std::string_view>;

// Texts by which models that do not name a token's role in their metadata are known, most telling
// first.
constexpr std::string_view kEotNames[] = {
    "<|eot_id|>",      "<|im_end|>", "<|end|>", "<end_of_turn>",         "<end_of_utterance>",
    "<EOT>",           "_<EOT>",     "[EOT]",   "<｜end▁of▁sentence｜>", "<|endoftext|>",
    "<|end_of_text|>",
};
constexpr std::string_view kEomNames[] = {"<|eom_id|>"};
constexpr std::string_view kFimPrefixNames[] = {
    "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>",    "<｜fim▁begin｜>",
    "<PRE>",          "▁<PRE>",       "<|code_prefix|>", "<|prefix|>",
};
constexpr std::string_view kFimSuffixNames[] = {
    "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",    "<｜fim▁hole｜>",
    "<SUF>",          "▁<SUF>",       "<|code_suffix|>", "<|suffix|>",
};
constexpr std::string_view kFimMiddleNames[] = {
    "<|fim_middle|>", "<fim-middle>", "<fim_middle>",    "<｜fim▁end｜>",
    "<MID>",          "▁<MID>",       "<|code_middle|>", "<|middle|>",
};
constexpr std::string_view kFimPadNames[] = {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>",
                                             "[PAD]"};
constexpr std::string_view kFimRepositoryNames[] = {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>",
                                                    "<REPO>", "<reponame>"};
constexpr std::string_view kFimSeparatorNames[] = {"<|file_sep|>"};

constexpr std::string_view kEogNames[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
};

/// Parts of a reply that gpt-oss's vocabulary calls control tokens.
constexpr std::string_view kHarmonyNames[] = {"<|channel|>", "<|message|>", "<|start|>",
                                              "<|constrain|>"};

/// Fill-in-the-middle roles that are looked for by text alone and matter only as control tokens.
constexpr struct {
    std::string_view key;
    std::string_view oldKey;
    Names names;
} kFimRoles[] = {
    {"tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id", kFimPrefixNames},
    {"tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id", kFimSuffixNames},
    {"tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id", kFimMiddleNames},
};

void makeControl(Vocabulary& vocabulary, TokenId id)
{
    vocabulary.add(id, TokenAttribute::Control);
}

/// The first of the names that is a token becomes a control token.
TokenId findByName(Vocabulary& vocabulary, Names names)
{
    for (const std::string_view name : names) {
        const TokenId id = vocabulary.find(name);
        if (id == kNoToken) continue;
        makeControl(vocabulary, id);
        return id;
    }
    return kNoToken;
}

void resolveRoles(const Metadata& metadata, Vocabulary& vocabulary, TokenizerSettings& settings)
{
    const auto resolve = [&](TokenId& id, Names names) {
        if (id == kNoToken) id = findByName(vocabulary, names);
    };
    resolve(settings.eot, kEotNames);
    resolve(settings.eom, kEomNames);
    resolve(settings.fimPad, kFimPadNames);
    resolve(settings.fimRepository, kFimRepositoryNames);
    resolve(settings.fimSeparator, kFimSeparatorNames);
    for (const auto& role : kFimRoles) {
        const bool given = vocabulary.contains(metadata.integerOr(role.key, -1)) ||
                           vocabulary.contains(metadata.integerOr(role.oldKey, -1));
        if (!given) findByName(vocabulary, role.names);
    }
}

bool haveAll(const Vocabulary& vocabulary, const std::set<TokenId>& eog,
             std::initializer_list<std::string_view> names)
{
    return std::ranges::all_of(
        names, [&](std::string_view name) { return eog.contains(vocabulary.find(name)); });
}

std::set<TokenId> endOfGeneration(Vocabulary& vocabulary, const TokenizerSettings& settings)
{
    std::set<TokenId> eog;
    const auto insert = [&](TokenId id) {
        if (id != kNoToken) eog.insert(id);
    };
    for (const TokenId id : {settings.fimPad, settings.fimRepository, settings.fimSeparator})
        insert(id);
    for (const std::string_view name : kEogNames) {
        const TokenId id = vocabulary.find(name);
        if (id == kNoToken) continue;
        eog.insert(id);
        makeControl(vocabulary, id);
    }
    for (const std::string_view name : kHarmonyNames)
        if (const TokenId id = vocabulary.find(name); id != kNoToken)
            vocabulary.setOnly(id, TokenAttribute::UserDefined);
    for (const TokenId id : {settings.eos, settings.eot, settings.eom})
        insert(id);
    // With these beside it "<|end|>" only ends a message (gpt-oss, Solar Open).
    if (haveAll(vocabulary, eog, {"<|return|>", "<|call|>", "<|end|>"}) ||
        haveAll(vocabulary, eog, {"<|return|>", "<|calls|>", "<|end|>"}) ||
        haveAll(vocabulary, eog, {"<|call|>", "<|flush|>", "<|end|>"}) ||
        haveAll(vocabulary, eog, {"<|calls|>", "<|flush|>", "<|end|>"})) {
        const TokenId end = vocabulary.find("<|end|>");
        eog.erase(end);
        vocabulary.setOnly(end, TokenAttribute::UserDefined);
    }
    // Gemma 4 has HTML's "</s>" as a piece of text.
    if (haveAll(vocabulary, eog, {"<|tool_response>", "</s>"})) {
        const TokenId tag = vocabulary.find("</s>");
        eog.erase(tag);
        vocabulary.setOnly(tag, TokenAttribute::Normal);
    }
    return eog;
}

bool containsAny(std::string_view text, std::initializer_list<std::string_view> parts)
{
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.contains(part); });
}

void setIfThere(Vocabulary& vocabulary, std::string_view text, TokenAttribute attribute, bool value)
{
    const TokenId id = vocabulary.find(text);
    if (id == kNoToken) return;
    if (value)
        vocabulary.add(id, attribute);
    else
        vocabulary.remove(id, attribute);
}

/// The format has no place for these: models are known by their names.
void resolveStripping(const Metadata& metadata, Vocabulary& vocabulary)
{
    std::string name = metadata.stringOr("general.name", "");
    std::ranges::transform(name, name.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    const std::string pre = metadata.stringOr("tokenizer.ggml.pre", "");
    const std::string architecture = metadata.stringOr("general.architecture", "");
    if (containsAny(pre, {"jina-v2-de", "jina-v2-es", "jina-v2-code"}) ||
        containsAny(architecture, {"nomic-bert-moe", "jina-bert-v3"})) {
        setIfThere(vocabulary, "<mask>", TokenAttribute::StripLeft, true);
    } else if (containsAny(name, {"phi-3", "phi3"})) {
        for (const TokenId id : vocabulary.withAny(
                 {TokenAttribute::Control, TokenAttribute::UserDefined, TokenAttribute::Unknown}))
            vocabulary.add(id, TokenAttribute::StripRight);
        setIfThere(vocabulary, "</s>", TokenAttribute::StripRight, true);
        for (const std::string_view text : {"<unk>", "<s>", "<|endoftext|>"})
            setIfThere(vocabulary, text, TokenAttribute::StripRight, false);
    } else if (containsAny(name, {"modern-bert"})) {
        setIfThere(vocabulary, "[MASK]", TokenAttribute::StripLeft, true);
    }
}

} // namespace

std::vector<TokenId> resolveSpecialTokens(const Metadata& metadata, Vocabulary& vocabulary,
                                          TokenizerSettings& settings)
{
    resolveRoles(metadata, vocabulary, settings);
    const std::set<TokenId> eog = endOfGeneration(vocabulary, settings);
    resolveStripping(metadata, vocabulary);
    return {eog.begin(), eog.end()};
}

} // namespace engine

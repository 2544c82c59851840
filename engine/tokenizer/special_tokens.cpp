#include "engine/tokenizer/special_tokens.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
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

/// Tokens that may swallow the white space beside them.
constexpr std::string_view kStripNames[] = {"<mask>", "[MASK]", "</s>",
                                            "<unk>",  "<s>",    "<|endoftext|>"};

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

constexpr Names kAllNames[] = {
    kEotNames,       kEomNames,     kFimPrefixNames,     kFimSuffixNames,
    kFimMiddleNames, kFimPadNames,  kFimRepositoryNames, kFimSeparatorNames,
    kEogNames,       kHarmonyNames, kStripNames,
};

/// The tokens of a vocabulary that have one of the names above.
class NamedTokens {
public:
    explicit NamedTokens(Vocabulary& vocabulary)
        : m_vocabulary(vocabulary)
    {
        for (const Names names : kAllNames)
            for (const std::string_view name : names)
                m_ids.emplace(name, kNoToken);
        for (TokenId id = vocabulary.size() - 1; id >= 0; --id) // of equal texts the smallest
            if (const auto found = m_ids.find(vocabulary.text(id)); found != m_ids.end())
                found->second = id;
    }

    TokenId find(std::string_view name) const
    {
        const auto found = m_ids.find(name);
        return found == m_ids.end() ? kNoToken : found->second;
    }

    /// The first of the names that is a token becomes a control token.
    TokenId makeControl(Names names)
    {
        for (const std::string_view name : names) {
            const TokenId id = find(name);
            if (id == kNoToken) continue;
            m_vocabulary.add(id, TokenAttribute::Control);
            return id;
        }
        return kNoToken;
    }

    bool areAllIn(const std::set<TokenId>& ids, std::initializer_list<std::string_view> names) const
    {
        return std::ranges::all_of(names,
                                   [&](std::string_view name) { return ids.contains(find(name)); });
    }

    Vocabulary& vocabulary() { return m_vocabulary; }

private:
    Vocabulary& m_vocabulary;
    std::map<std::string_view, TokenId> m_ids;
};

void resolveRoles(const Metadata& metadata, NamedTokens& named, TokenizerSettings& settings)
{
    const auto resolve = [&](TokenId& id, Names names) {
        if (id == kNoToken) id = named.makeControl(names);
    };
    resolve(settings.eot, kEotNames);
    resolve(settings.eom, kEomNames);
    resolve(settings.fimPad, kFimPadNames);
    resolve(settings.fimRepository, kFimRepositoryNames);
    resolve(settings.fimSeparator, kFimSeparatorNames);
    for (const auto& role : kFimRoles) {
        const bool given = named.vocabulary().contains(metadata.integerOr(role.key, -1)) ||
                           named.vocabulary().contains(metadata.integerOr(role.oldKey, -1));
        if (!given) named.makeControl(role.names);
    }
}

/// Sets of end-of-generation tokens that betray a vocabulary in which the last of them is not one:
/// there it only ends a message (gpt-oss, Solar Open), or is HTML (Gemma 4).
constexpr struct {
    std::initializer_list<std::string_view> names;
    std::string_view falseOne;
    TokenAttribute becomes;
} kFalseEnds[] = {
    {{"<|return|>", "<|call|>"}, "<|end|>", TokenAttribute::UserDefined},
    {{"<|return|>", "<|calls|>"}, "<|end|>", TokenAttribute::UserDefined},
    {{"<|flush|>", "<|call|>"}, "<|end|>", TokenAttribute::UserDefined},
    {{"<|flush|>", "<|calls|>"}, "<|end|>", TokenAttribute::UserDefined},
    {{"<|tool_response>"}, "</s>", TokenAttribute::Normal},
};

std::set<TokenId> endOfGeneration(NamedTokens& named, const TokenizerSettings& settings)
{
    std::set<TokenId> eog;
    const auto insert = [&](TokenId id) {
        if (id != kNoToken) eog.insert(id);
    };
    for (const TokenId id : {settings.fimPad, settings.fimRepository, settings.fimSeparator})
        insert(id);
    for (const std::string_view& name : kEogNames)
        insert(named.makeControl({&name, 1}));
    for (const std::string_view name : kHarmonyNames)
        if (const TokenId id = named.find(name); id != kNoToken)
            named.vocabulary().setOnly(id, TokenAttribute::UserDefined);
    for (const TokenId id : {settings.eos, settings.eot, settings.eom})
        insert(id);
    for (const auto& row : kFalseEnds) {
        const TokenId id = named.find(row.falseOne);
        if (!eog.contains(id) || !named.areAllIn(eog, row.names)) continue;
        eog.erase(id);
        named.vocabulary().setOnly(id, row.becomes);
    }
    return eog;
}

bool containsAny(std::string_view text, std::initializer_list<std::string_view> parts)
{
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.contains(part); });
}

void setIfThere(NamedTokens& named, std::string_view name, TokenAttribute attribute, bool value)
{
    const TokenId id = named.find(name);
    if (id == kNoToken) return;
    if (value)
        named.vocabulary().add(id, attribute);
    else
        named.vocabulary().remove(id, attribute);
}

void addTo(const Metadata& metadata, std::string_view key, TokenAttribute attribute,
           Vocabulary& vocabulary)
{
    for (const std::int64_t id : metadata.integers(key).value_or(std::vector<std::int64_t>{}))
        if (vocabulary.contains(id)) vocabulary.add(static_cast<TokenId>(id), attribute);
}

/// The format has no place for these: models are known by their names.
void resolveStripping(const Metadata& metadata, NamedTokens& named)
{
    if (metadata.contains(kStripLeftKey) || metadata.contains(kStripRightKey)) {
        addTo(metadata, kStripLeftKey, TokenAttribute::StripLeft, named.vocabulary());
        addTo(metadata, kStripRightKey, TokenAttribute::StripRight, named.vocabulary());
        return;
    }
    std::string name = metadata.stringOr("general.name", "");
    std::ranges::transform(name, name.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    const std::string pre = metadata.stringOr("tokenizer.ggml.pre", "");
    const std::string architecture = metadata.stringOr("general.architecture", "");
    if (containsAny(pre, {"jina-v2-de", "jina-v2-es", "jina-v2-code"}) ||
        containsAny(architecture, {"nomic-bert-moe", "jina-bert-v3"})) {
        setIfThere(named, "<mask>", TokenAttribute::StripLeft, true);
    } else if (containsAny(name, {"phi-3", "phi3"})) {
        for (const TokenId id : named.vocabulary().withAny(
                 {TokenAttribute::Control, TokenAttribute::UserDefined, TokenAttribute::Unknown}))
            named.vocabulary().add(id, TokenAttribute::StripRight);
        setIfThere(named, "</s>", TokenAttribute::StripRight, true);
        for (const std::string_view text : {"<unk>", "<s>", "<|endoftext|>"})
            setIfThere(named, text, TokenAttribute::StripRight, false);
    } else if (containsAny(name, {"modern-bert"})) {
        setIfThere(named, "[MASK]", TokenAttribute::StripLeft, true);
    }
}

} // namespace

std::vector<TokenId> resolveSpecialTokens(const Metadata& metadata, Vocabulary& vocabulary,
                                          TokenizerSettings& settings)
{
    NamedTokens named(vocabulary);
    resolveRoles(metadata, named, settings);
    const std::set<TokenId> eog = endOfGeneration(named, settings);
    resolveStripping(metadata, named);
    return {eog.begin(), eog.end()};
}

} // namespace engine

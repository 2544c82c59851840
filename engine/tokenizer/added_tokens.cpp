#include "engine/tokenizer/added_tokens.h"

#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/steps/words.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <set>

namespace engine {

namespace {

std::set<std::int64_t> idsOf(const Metadata& metadata, std::string_view key)
{
    const auto ids = metadata.integers(key).value_or(std::vector<std::int64_t>{});
    return {ids.begin(), ids.end()};
}

bool endsWithWord(std::string_view text)
{
    return !text.empty() &&
           words::isPartOfWord(unicode::decode(text, words::lastCharacter(text)).value);
}

bool beginsWithWord(std::string_view text)
{
    return !text.empty() && words::isPartOfWord(unicode::decode(text, 0).value);
}

} // namespace

std::optional<AddedTokens> AddedTokens::read(const Metadata& metadata, const Vocabulary& vocabulary,
                                             const Normalizer& normalizer)
{
    if (!metadata.contains(kIdsKey)) return std::nullopt;
    const std::set<std::int64_t> singleWord = idsOf(metadata, kSingleWordKey);
    const std::set<std::int64_t> normalized = idsOf(metadata, kNormalizedKey);
    const std::set<std::int64_t> left = idsOf(metadata, kStripLeftKey);
    const std::set<std::int64_t> right = idsOf(metadata, kStripRightKey);
    AddedTokens tokens;
    for (const std::int64_t id : idsOf(metadata, kIdsKey)) {
        if (!vocabulary.contains(id)) continue;
        const auto token = static_cast<TokenId>(id);
        const std::string_view text = vocabulary.text(token);
        const bool isControl = vocabulary.isSpecial(token);
        const bool isNormalized = normalized.contains(id);
        const Rule rule{token, singleWord.contains(id), left.contains(id), right.contains(id)};
        if (isNormalized) {
            std::string changed = normalizer.apply(unicode::wellFormed(text));
            if (!isControl) tokens.m_normalizedTexts.emplace(token, changed);
            tokens.m_normalized.add(std::move(changed), isControl, rule);
        } else {
            tokens.m_plain.add(std::string(text), isControl, rule);
        }
        if (isControl || !isNormalized)
            tokens.m_plainOrControl.add(std::string(text), isControl, rule);
    }
    tokens.m_plain.build();
    tokens.m_plainOrControl.build();
    tokens.m_normalized.build();
    return tokens;
}

void AddedTokens::Set::add(std::string text, bool special, Rule rule)
{
    if (text.empty()) return;
    m_texts.push_back(std::move(text));
    m_special.push_back(special);
    m_rules.push_back(rule);
}

void AddedTokens::Set::build()
{
    std::vector<TokenTrie::Entry> all;
    std::vector<TokenTrie::Entry> ordinary;
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        all.push_back({m_texts[i], static_cast<TokenId>(i)});
        if (!m_special[i]) ordinary.push_back(all.back());
    }
    m_all = TokenTrie(std::move(all));
    m_ordinary = TokenTrie(std::move(ordinary));
}

std::vector<TextFragment> AddedTokens::Set::split(std::string_view text, bool parseSpecial,
                                                  std::span<const std::size_t> literals) const
{
    std::vector<TextFragment> out;
    std::size_t done = 0;
    std::size_t spaceEnd = 0; // of the white space behind the last token that strips it
    const auto appendText = [&](std::size_t end) {
        constexpr std::size_t kMost = SpecialTokenSplitter::kMaxFragmentBytes;
        for (; done < end; done += std::min(kMost, end - done))
            out.push_back({kNoToken, text.substr(done, std::min(kMost, end - done))});
    };
    const TokenTrie& trie = parseSpecial ? m_all : m_ordinary;
    for (std::size_t i = 0; i < text.size();) {
        const bool literal = std::ranges::binary_search(literals, i);
        const TokenTrie::Match match = (literal ? m_ordinary : trie).longestPrefix(text.substr(i));
        if (match.id == kNoToken) {
            ++i;
            continue;
        }
        const Rule& rule = m_rules[static_cast<std::size_t>(match.id)];
        std::size_t begin = i;
        std::size_t end = i + match.bytes;
        i = end;
        if (rule.singleWord &&
            (endsWithWord(text.substr(0, begin)) || beginsWithWord(text.substr(end))))
            continue;
        if (rule.stripLeft) {
            const std::size_t between = std::max(begin, done) - done;
            begin = done + words::withoutTrailingSpace(text.substr(done, between)).size();
        }
        if (rule.stripRight) {
            // Tokens of white space are found in what another one stripped, too.
            if (end >= spaceEnd)
                spaceEnd = text.size() - words::withoutLeadingSpace(text.substr(end)).size();
            end = spaceEnd;
        }
        appendText(begin);
        if (begin < end) out.push_back({rule.id, text.substr(i - match.bytes, match.bytes)});
        done = end;
    }
    appendText(text.size());
    return out;
}

} // namespace engine

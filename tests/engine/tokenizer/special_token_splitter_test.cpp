#include "tests/engine/tokenizer/small_vocabulary.h"
#include "tests/support/engine/gguf_builder.h"

#include "engine/tokenizer/special_token_splitter.h"

#include <algorithm>
#include <list>

using namespace engine;
using test::TokenType;

namespace {

Vocabulary vocabularyOf(const test::SmallVocabulary& small)
{
    auto vocabulary = Vocabulary::read(small.metadata());
    EXPECT_TRUE(vocabulary);
    return std::move(*vocabulary);
}

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

std::string describe(const std::vector<TextFragment>& fragments)
{
    std::string out;
    for (const TextFragment& fragment : fragments)
        out += fragment.token < 0 ? '[' + std::string(fragment.text) + ']'
                                  : '<' + std::to_string(fragment.token) + '>';
    return out;
}

/// From the definition: token after token, the longest first, each cutting the texts that are left.
std::string splitNaively(const Vocabulary& vocabulary, const std::string& text, bool parseSpecial)
{
    std::vector<TokenId> order = vocabulary.withAny(
        {TokenAttribute::Control, TokenAttribute::UserDefined, TokenAttribute::Unknown});
    std::ranges::stable_sort(order, [&](TokenId a, TokenId b) {
        return vocabulary.text(a).size() > vocabulary.text(b).size();
    });
    struct Part {
        TokenId token;
        std::string text;
    };
    std::list<Part> parts;
    if (!text.empty()) parts.push_back({-1, text});
    for (const TokenId id : order) {
        if (!parseSpecial && vocabulary.isSpecial(id)) continue;
        for (auto part = parts.begin(); part != parts.end(); ++part) {
            if (part->token >= 0) continue;
            const std::string whole = part->text;
            const std::size_t place = whole.find(vocabulary.text(id));
            if (place == std::string::npos) continue;
            std::string left = whole.substr(0, place);
            std::string right = whole.substr(place + vocabulary.text(id).size());
            if (vocabulary.is(id, TokenAttribute::StripLeft))
                while (!left.empty() && isSpace(left.back()))
                    left.pop_back();
            if (vocabulary.is(id, TokenAttribute::StripRight))
                while (!right.empty() && isSpace(right.front()))
                    right.erase(0, 1);
            if (!left.empty()) parts.insert(part, {-1, left});
            parts.insert(part, {id, ""});
            *part = {-1, right};
            --part; // the right side is looked at again
        }
        parts.remove_if([](const Part& part) { return part.token < 0 && part.text.empty(); });
    }
    std::string out;
    for (const Part& part : parts)
        out += part.token < 0 ? '[' + part.text + ']' : '<' + std::to_string(part.token) + '>';
    return out;
}

} // namespace

TEST(SpecialTokenSplitter, AgreesWithTheDefinition)
{
    test::RandomNumbers random(2);
    for (int round = 0; round < 500; ++round) {
        test::SmallVocabulary small("llama");
        small.add("x");
        for (int i = 0; i < 8; ++i) {
            std::string text(1 + random.next() % 4, 'a');
            for (char& c : text)
                c = "ab<"[random.next() % 3];
            constexpr TokenType kTypes[] = {TokenType::Control, TokenType::UserDefined,
                                            TokenType::UserDefined, TokenType::Normal,
                                            TokenType::Unknown};
            small.add(text, kTypes[random.next() % std::size(kTypes)]);
        }
        Vocabulary vocabulary = vocabularyOf(small);
        for (TokenId id = 0; id < vocabulary.size(); ++id) {
            if (random.next() % 4 == 0) vocabulary.add(id, TokenAttribute::StripLeft);
            if (random.next() % 4 == 0) vocabulary.add(id, TokenAttribute::StripRight);
        }
        const SpecialTokenSplitter splitter(vocabulary);
        for (int i = 0; i < 20; ++i) {
            std::string text(random.next() % 30, 'a');
            for (char& c : text)
                c = "aab<< \n"[random.next() % 7];
            const bool parseSpecial = random.next() % 2 == 0;
            ASSERT_EQ(describe(splitter.split(text, parseSpecial)),
                      splitNaively(vocabulary, text, parseSpecial))
                << text;
        }
    }
}

TEST(SpecialTokenSplitter, ControlTokensOnlyWhereAskedFor)
{
    const Vocabulary vocabulary = vocabularyOf(test::SmallVocabulary("llama")
                                                   .add("<|end|>", TokenType::Control)
                                                   .add("<tool>", TokenType::UserDefined)
                                                   .add("<unk>", TokenType::Unknown));
    const SpecialTokenSplitter splitter(vocabulary);
    const std::string text = "a<|end|>b<tool><unk>";
    EXPECT_EQ(describe(splitter.split(text, false)), "[a<|end|>b]<1>[<unk>]");
    EXPECT_EQ(describe(splitter.split(text, true)), "[a]<0>[b]<1><2>");
    EXPECT_EQ(describe(splitter.split("", true)), "");
}

TEST(SpecialTokenSplitter, OfEqualTextsTheOneThatIsReadCounts)
{
    test::SmallVocabulary small("llama");
    small.add("<a>", TokenType::Control).add("<a>", TokenType::UserDefined);
    const Vocabulary vocabulary = vocabularyOf(small);
    const SpecialTokenSplitter splitter(vocabulary);
    EXPECT_EQ(describe(splitter.split("x<a>", true)), "[x]<0>");
    EXPECT_EQ(describe(splitter.split("x<a>", false)), "[x]<1>");
}

TEST(SpecialTokenSplitter, ManyTokensInALongTextTakeNotLong)
{
    test::SmallVocabulary small("llama");
    for (std::size_t n = 1; n <= 300; ++n)
        small.add(std::string(n, 'a'), TokenType::UserDefined);
    const Vocabulary vocabulary = vocabularyOf(small);
    const SpecialTokenSplitter splitter(vocabulary);
    const std::string text(300'000, 'a');
    EXPECT_EQ(splitter.split(text, true).size(), 1000U);
    std::string cut;
    while (cut.size() < text.size())
        cut.append(299, 'a').push_back('b');
    EXPECT_EQ(splitter.split(cut, true).size(), cut.size() / 300 * 2);
}

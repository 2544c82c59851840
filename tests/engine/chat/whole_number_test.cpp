#include "engine/chat/jinja/whole_number.h"

#include <gtest/gtest.h>
#include <random>

namespace {

using engine::jinja::WholeNumber;

WholeNumber randomNumber(std::mt19937_64& random)
{
    std::string digits;
    const std::size_t length = 1 + random() % 60;
    for (std::size_t i = 0; i < length; ++i)
        digits += "0123456789abcdef"[random() % (random() % 4 == 0 ? 1 : 16)];
    const WholeNumber number = WholeNumber::parse(digits, 16);
    return random() % 2 == 0 ? number : number.negated();
}

TEST(WholeNumberTest, AgreesWithMachineIntegers)
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 5000; ++round) {
        const auto a = static_cast<std::int64_t>(random()) >> (random() % 63);
        const auto b = static_cast<std::int64_t>(random()) >> (32 + random() % 31);
        const WholeNumber x(a);
        const WholeNumber y(b);
        ASSERT_EQ(x.toText(), std::to_string(a));
        ASSERT_EQ(x.toInteger(), a);
        ASSERT_EQ(x <=> y, a <=> b);
        if (std::abs(a / 4) < (1LL << 60) && a > INT64_MIN / 4) {
            ASSERT_EQ((x + y).toInteger(), a + b);
            ASSERT_EQ((x - y).toInteger(), a - b);
        }
        if (b == 0) continue;
        std::int64_t quotient = a / b;
        std::int64_t rest = a % b;
        if (rest != 0 && (rest < 0) != (b < 0)) {
            --quotient;
            rest += b;
        }
        const auto [q, r] = WholeNumber::divide(x, y);
        ASSERT_EQ(q.toInteger(), quotient) << a << ' ' << b;
        ASSERT_EQ(r.toInteger(), rest) << a << ' ' << b;
    }
}

TEST(WholeNumberTest, DivisionUndoesMultiplication)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 5000; ++round) {
        const WholeNumber a = randomNumber(random);
        const WholeNumber b = randomNumber(random);
        if (b.isZero()) continue;
        const auto [quotient, rest] = WholeNumber::divide(a, b);
        ASSERT_EQ(quotient * b + rest, a);
        ASSERT_TRUE(rest.isZero() || rest.isNegative() == b.isNegative());
        const WholeNumber size = b.isNegative() ? b.negated() : b;
        ASSERT_LT(rest.isNegative() ? rest.negated() : rest, size);
    }
}

TEST(WholeNumberTest, TextReadsBack)
{
    std::mt19937_64 random(9);
    for (int round = 0; round < 1000; ++round) {
        const WholeNumber a = randomNumber(random);
        const std::string text = a.toText();
        const bool negative = text.starts_with('-');
        const WholeNumber back = WholeNumber::parse(text.substr(negative ? 1 : 0), 10);
        ASSERT_EQ(negative ? back.negated() : back, a);
    }
}

TEST(WholeNumberTest, RoundsToTheNearestFloat)
{
    const auto number = [](std::string_view hex) { return WholeNumber::parse(hex, 16).toNumber(); };
    EXPECT_EQ(number("20000000000000"), 0x1p53);
    EXPECT_EQ(number("20000000000001"), 0x1p53); // half: to even
    EXPECT_EQ(number("20000000000003"), 0x1.0000000000002p53);
    EXPECT_EQ(number("200000000000010000000000000001"), 0x1.0000000000001p117);
    EXPECT_EQ(number("200000000000010000000000000000"), 0x1p117);
    EXPECT_EQ(WholeNumber::truncated(-0x1.8p70).toText(), "-1770887431076116955136");
    EXPECT_EQ(WholeNumber::truncated(3.99).toText(), "3");
    EXPECT_TRUE(WholeNumber::truncated(-0.5).isZero());
    for (const double value : {1.0, 0x1p63, 0x1.123456789abcdp200, 0x1.fffffffffffffp1023})
        EXPECT_EQ(WholeNumber::truncated(value).toNumber(), value);
}

TEST(WholeNumberTest, KnowsWhatFits)
{
    EXPECT_EQ(WholeNumber::parse("9223372036854775807", 10).toInteger(), INT64_MAX);
    EXPECT_EQ(WholeNumber::parse("9223372036854775808", 10).toInteger(), std::nullopt);
    EXPECT_EQ(WholeNumber::parse("9223372036854775808", 10).negated().toInteger(), INT64_MIN);
}

} // namespace

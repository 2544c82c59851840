#include "engine/sampling/sampler_chain.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace {

using engine::SamplerChain;
using engine::SamplerStage;
using engine::SamplingSettings;
using engine::TokenId;

SamplingSettings allOff()
{
    SamplingSettings settings;
    settings.temperature = 1.0F;
    settings.topK = 0;
    settings.topP = 1.0F;
    settings.minP = 0.0F;
    return settings;
}

std::vector<float> randomLogits(int size, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 3.0F);
    std::vector<float> logits(static_cast<std::size_t>(size));
    std::ranges::generate(logits, [&] { return normal(random); });
    return logits;
}

// The chain written from its definition, in double and with full sorts: token -> final probability.
std::map<TokenId, double> naiveChain(const std::vector<float>& logits,
                                     const std::vector<TokenId>& context, const SamplingSettings& s)
{
    struct Item {
        TokenId id;
        double logit;
    };
    std::map<TokenId, int> counts;
    const std::size_t window =
        s.penaltyWindow < 0
            ? context.size()
            : std::min<std::size_t>(context.size(), static_cast<std::size_t>(s.penaltyWindow));
    for (std::size_t i = context.size() - window; i < context.size(); ++i)
        ++counts[context[i]];
    std::vector<Item> items;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        double logit = static_cast<double>(logits[i]);
        const auto id = static_cast<TokenId>(i);
        if (counts.contains(id)) {
            logit = logit > 0 ? logit / static_cast<double>(s.repeatPenalty)
                              : logit * static_cast<double>(s.repeatPenalty);
            logit -= counts[id] * static_cast<double>(s.frequencyPenalty) +
                     static_cast<double>(s.presencePenalty);
        }
        items.push_back({id, logit});
    }
    std::ranges::stable_sort(items, [](const Item& a, const Item& b) { return a.logit > b.logit; });
    const auto softmax = [&items](double temperature) {
        std::vector<double> p;
        double sum = 0;
        for (const Item& item : items)
            sum += std::exp((item.logit - items[0].logit) / temperature);
        for (const Item& item : items)
            p.push_back(std::exp((item.logit - items[0].logit) / temperature) / sum);
        return p;
    };
    if (s.topK > 0 && static_cast<std::size_t>(s.topK) < items.size())
        items.resize(static_cast<std::size_t>(s.topK));
    if (s.topP < 1.0F) {
        const std::vector<double> p = softmax(1);
        double sum = 0;
        std::size_t n = 0;
        while (n < items.size() && (n == 0 || sum < static_cast<double>(s.topP)))
            sum += p[n++];
        items.resize(n);
    }
    if (s.minP > 0.0F) {
        const std::vector<double> p = softmax(1);
        std::size_t n = 0;
        while (n < items.size() && p[n] >= static_cast<double>(s.minP) * p[0] * (1 - 1e-9))
            ++n;
        items.resize(std::max<std::size_t>(n, 1));
    }
    if (s.temperature <= 0.0F) items.resize(1);
    const std::vector<double> p =
        softmax(s.temperature > 0.0F ? static_cast<double>(s.temperature) : 1.0);
    std::map<TokenId, double> result;
    for (std::size_t i = 0; i < items.size(); ++i)
        result[items[i].id] = p[i];
    return result;
}

TEST(SamplerChainTest, AgreesWithTheChainWrittenFromItsDefinition)
{
    const std::vector<TokenId> context{3, 5, 5, 9, 200, 3, 17};
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        SamplingSettings s = allOff();
        s.temperature = std::array{0.0F, 0.3F, 1.0F, 1.7F}[random() % 4];
        s.topK = std::array{0, 1, 40, 1000}[random() % 4];
        s.topP = std::array{1.0F, 0.95F, 0.5F, 0.0F}[random() % 4];
        s.minP = std::array{0.0F, 0.05F, 0.5F, 1.0F}[random() % 4];
        s.repeatPenalty = std::array{1.0F, 1.3F}[random() % 2];
        s.presencePenalty = std::array{0.0F, 0.4F}[random() % 2];
        s.frequencyPenalty = std::array{0.0F, 0.2F}[random() % 2];
        s.penaltyWindow = std::array{0, 3, -1}[random() % 3];
        const std::vector<float> logits = randomLogits(300, seed);
        SamplerChain chain(300, 300);
        chain.reset(seed);
        const engine::SampledToken& sampled = chain.sample(logits, context, s);
        const auto expected = naiveChain(logits, context, s);
        ASSERT_EQ(sampled.keptCount, static_cast<int>(expected.size())) << "seed " << seed;
        ASSERT_TRUE(expected.contains(sampled.id));
        EXPECT_NEAR(static_cast<double>(sampled.probability), expected.at(sampled.id), 1e-4);
        for (const engine::TokenCandidate& candidate : sampled.candidates) {
            const bool kept = candidate.cutBy == SamplerStage::Kept;
            ASSERT_EQ(kept, expected.contains(candidate.id)) << "seed " << seed;
            EXPECT_NEAR(static_cast<double>(candidate.finalProbability),
                        kept ? expected.at(candidate.id) : 0.0, 1e-4);
        }
    }
}

TEST(SamplerChainTest, DrawsInProportion)
{
    const std::vector<float> logits{std::log(0.5F), std::log(0.3F), std::log(0.2F)};
    SamplerChain chain(3, 3);
    chain.reset(42);
    std::array<int, 3> drawn{};
    for (int i = 0; i < 20000; ++i)
        ++drawn[static_cast<std::size_t>(chain.sample(logits, {}, allOff()).id)];
    EXPECT_NEAR(drawn[0], 10000, 300);
    EXPECT_NEAR(drawn[1], 6000, 300);
    EXPECT_NEAR(drawn[2], 4000, 300);
}

TEST(SamplerChainTest, TheSameSeedDrawsTheSameTokens)
{
    const std::vector<float> logits = randomLogits(1000, 1);
    const auto drawTen = [&](std::uint64_t seed) {
        SamplerChain chain(1000, 0);
        chain.reset(seed);
        std::vector<TokenId> ids;
        for (int i = 0; i < 10; ++i)
            ids.push_back(chain.sample(logits, ids, allOff()).id);
        return ids;
    };
    EXPECT_EQ(drawTen(7), drawTen(7));
    EXPECT_NE(drawTen(7), drawTen(8));
}

TEST(SamplerChainTest, ReportsWhichStageCutAndHowMuch)
{
    // Shares 0.4 0.3 0.2 0.06 0.04.
    std::vector<float> logits;
    for (const float share : {0.4F, 0.3F, 0.2F, 0.06F, 0.04F})
        logits.push_back(std::log(share));
    SamplingSettings s = allOff();
    s.topK = 4;
    s.topP = 0.9F;
    s.minP = 0.6F;
    SamplerChain chain(5, 5);
    const engine::SampledToken& sampled = chain.sample(logits, {}, s);
    EXPECT_NEAR(sampled.cutTopK, 0.04F, 1e-5F);
    EXPECT_NEAR(sampled.cutTopP, 0.06F, 1e-5F);
    EXPECT_NEAR(sampled.cutMinP, 0.2F, 1e-5F);
    std::vector<SamplerStage> stages;
    for (const engine::TokenCandidate& candidate : sampled.candidates)
        stages.push_back(candidate.cutBy);
    EXPECT_EQ(stages, (std::vector{SamplerStage::Kept, SamplerStage::Kept, SamplerStage::MinP,
                                   SamplerStage::TopP, SamplerStage::TopK}));
}

TEST(SamplerChainTest, TypicalKeepsWhatIsAsSurprisingAsExpected)
{
    // One likely token and a hundred rare ones: the entropy lies nearer to the rare ones.
    std::vector<float> logits(101, std::log(0.8F / 100));
    logits[0] = std::log(0.2F);
    SamplingSettings s = allOff();
    s.typicalP = 0.5F;
    SamplerChain chain(101, 101);
    const engine::SampledToken& sampled = chain.sample(logits, {}, s);
    EXPECT_EQ(sampled.candidates[0].id, 0);
    EXPECT_EQ(sampled.candidates[0].cutBy, SamplerStage::Typical);
}

TEST(SamplerChainTest, TemperatureZeroPicksTheLikeliest)
{
    const std::vector<float> logits = randomLogits(500, 3);
    SamplingSettings s = allOff();
    s.temperature = 0;
    SamplerChain chain(500, 8);
    const engine::SampledToken& sampled = chain.sample(logits, {}, s);
    EXPECT_EQ(sampled.id, std::ranges::max_element(logits) - logits.begin());
    EXPECT_EQ(sampled.rank, 0);
    EXPECT_FLOAT_EQ(sampled.probability, 1.0F);
    EXPECT_EQ(sampled.candidates[1].cutBy, SamplerStage::Temperature);
}

TEST(SamplerChainTest, NeverPicksWhatIsNotANumber)
{
    const float nan = std::nanf("");
    const float infinity = std::numeric_limits<float>::infinity();
    SamplerChain chain(4, 4);
    EXPECT_EQ(chain.sample(std::vector{nan, infinity, 1.0F, -infinity}, {}, allOff()).id, 2);
    EXPECT_EQ(chain.sample(std::vector{nan, infinity, nan, -infinity}, {}, allOff()).keptCount, 0);
    EXPECT_EQ(chain.sample(std::vector{nan, infinity, 1.0F, -infinity}, {}, allOff()).keptCount, 1);
}

TEST(SamplerChainTest, OddSettingsAreHarmless)
{
    const std::vector<float> logits = randomLogits(50, 5);
    const float nan = std::nanf("");
    for (const float odd : {nan, -1.0F, 1e30F, 0.0F, -0.0F}) {
        SamplingSettings s;
        s.temperature = s.topP = s.minP = s.typicalP = s.repeatPenalty = odd;
        s.topK = -5;
        SamplerChain chain(50, 10);
        const int id = chain.sample(logits, std::vector<TokenId>{1, -7, 99}, s).id;
        EXPECT_TRUE(id >= 0 && id < 50);
    }
}

} // namespace

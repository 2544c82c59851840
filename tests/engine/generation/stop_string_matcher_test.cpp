#include "engine/generation/stop_string_matcher.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {

using engine::StopStringMatcher;

struct Outcome {
    std::string text;
    bool stopped;
    bool operator==(const Outcome&) const = default;
};

// The stop string that ends first wins; of several that end together, the longest.
Outcome naive(const std::string& text, const std::vector<std::string>& stops)
{
    for (std::size_t end = 1; end <= text.size(); ++end) {
        std::size_t longest = 0;
        for (const std::string& stop : stops)
            if (stop.size() <= end && text.compare(end - stop.size(), stop.size(), stop) == 0)
                longest = std::max(longest, stop.size());
        if (longest > 0) return {text.substr(0, end - longest), true};
    }
    return {text, false};
}

TEST(StopStringMatcherTest, AgreesWithASearchHoweverTheTextIsDivided)
{
    std::mt19937 random(1);
    const auto randomText = [&](std::size_t size) {
        std::string text(size, ' ');
        std::ranges::generate(text, [&] { return "ab"[random() % 2]; });
        return text;
    };
    for (int round = 0; round < 3000; ++round) {
        const std::string text = randomText(random() % 20);
        std::vector<std::string> stops;
        for (unsigned i = 0; i < 1 + random() % 3; ++i)
            stops.push_back(randomText(1 + random() % 6));
        StopStringMatcher matcher(stops);
        Outcome outcome{"", false};
        for (std::size_t at = 0; at < text.size() && !outcome.stopped;) {
            const std::size_t size = 1 + random() % 4;
            outcome.stopped = matcher.feed(std::string_view(text).substr(at, size), outcome.text);
            at += size;
        }
        outcome.text += matcher.finish();
        EXPECT_EQ(outcome, naive(text, stops)) << text;
    }
}

TEST(StopStringMatcherTest, ReleasesAtOnceWhatCannotMatch)
{
    const std::vector<std::string> stops{"###"};
    StopStringMatcher matcher(stops);
    std::string released;
    EXPECT_FALSE(matcher.feed("one #", released));
    EXPECT_EQ(released, "one ");
    EXPECT_FALSE(matcher.feed("2", released));
    EXPECT_EQ(released, "one #2");
}

TEST(StopStringMatcherTest, NothingToStopAtReleasesEverything)
{
    const std::vector<std::string> stops{""};
    StopStringMatcher matcher(stops);
    std::string released;
    EXPECT_FALSE(matcher.feed("warm", released));
    EXPECT_EQ(released, "warm");
}

} // namespace

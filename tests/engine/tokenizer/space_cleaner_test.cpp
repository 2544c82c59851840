#include "engine/tokenizer/space_cleaner.h"

#include <gtest/gtest.h>

TEST(SpaceCleaner, TakesSpacesBeforePunctuationAndContractions)
{
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", ""},
        {" ", " "},
        {"a , b . c ! d ?", "a, b. c! d?"},
        {"a  .", "a ."},
        {" .", "."},
        {". .", ".."},
        {"it 's I 'm we 're you 've", "it's I'm we're you've"},
        {"do n't I 'd we 'll", "do n't I 'd we 'll"}, // these stay
        {"a ' b", "a'b"},
        {"a ' ' b", "a'' b"},
        {"a '", "a '"},
        {"a 'x", "a 'x"},
        {"' s", "' s"},
    };
    for (const auto& [text, expected] : rows)
        EXPECT_EQ(engine::cleanedSpaces(text), expected) << text;
}
